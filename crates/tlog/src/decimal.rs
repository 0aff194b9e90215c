//! Bytes as one decimal number: QR codes hold digits almost without loss, and every reader returns them as text.

/// The digits of bytes, the first of which is not zero.
pub(crate) fn to_digits(bytes: &[u8]) -> String {
    // Nine digits to a limb, the lowest first.
    const BASE: u64 = 1_000_000_000;
    let mut limbs = vec![0u64];
    for byte in bytes {
        let mut carry = u64::from(*byte);
        for limb in &mut limbs {
            let value = *limb * 256 + carry;
            *limb = value % BASE;
            carry = value / BASE;
        }
        if carry > 0 {
            limbs.push(carry);
        }
    }
    let mut digits = limbs.pop().unwrap_or(0).to_string();
    for limb in limbs.iter().rev() {
        digits.push_str(&format!("{limb:09}"));
    }
    digits
}

/// The bytes of digits without leading zeros; `None` if they are none, or too many.
pub(crate) fn from_digits(digits: &str) -> Option<Vec<u8>> {
    const MOST: usize = 16_384;
    let decimal = digits.bytes().all(|digit| digit.is_ascii_digit()) && !digits.starts_with('0');
    if !decimal || digits.is_empty() || digits.len() > MOST {
        return None;
    }
    // The lowest byte first.
    let mut bytes: Vec<u8> = Vec::with_capacity(digits.len() / 2);
    for digit in digits.bytes() {
        let mut carry = u32::from(digit - b'0');
        for byte in &mut bytes {
            let value = u32::from(*byte) * 10 + carry;
            *byte = (value & 0xff) as u8;
            carry = value >> 8;
        }
        if carry > 0 {
            bytes.push(carry as u8);
        }
    }
    bytes.reverse();
    Some(bytes)
}
