//! The client's address: that of the connection, or the one that a trusted proxy reports.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

use axum::http::HeaderMap;
use serde::Deserialize;

/// An address, or a network of addresses: `10.0.0.0/8`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    /// Whether an address belongs to the network.
    #[must_use]
    pub fn holds(&self, address: IpAddr) -> bool {
        let first = |bits: u8, of: u8| of.saturating_sub(bits);
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let shift = u32::from(first(self.bits, 32));
                own.to_bits().checked_shr(shift) == other.to_bits().checked_shr(shift)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let shift = u32::from(first(self.bits, 128));
                own.to_bits().checked_shr(shift) == other.to_bits().checked_shr(shift)
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let wrong = || format!("'{text}' is no address or network such as 10.0.0.7 or 10.0.0.0/8");
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let address: IpAddr = address.trim().parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.trim().parse::<u8>().map_err(|_| wrong()))?;
        if bits > most { Err(wrong()) } else { Ok(Network { address, bits }) }
    }
}

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Network, String> {
        text.parse()
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

/// The client.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The client's own address.
    pub address: IpAddr,
    /// Whether the client speaks TLS, to this host or to the proxy.
    pub secure: bool,
    /// Whether a trusted proxy named the client in a way that cannot be read: then the address is the proxy's, and allows
    /// nothing that the proxy's own does.
    pub unread: bool,
}

/// The client, from the connection or, if that comes from a trusted proxy, from the proxy's headers. What a client
/// writes into these headers itself stands to the left of what a trusted proxy adds, and is ignored.
#[must_use]
pub fn peer(from: IpAddr, tls: bool, headers: &HeaderMap, trusted: &[Network]) -> Peer {
    let from = from.to_canonical();
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.holds(address));
    if !is_trusted(from) {
        return Peer { address: from, secure: tls, unread: false };
    }
    let lines = headers.get_all("x-forwarded-for").iter().map(|line| line.to_str().unwrap_or("?"));
    let hops: Vec<&str> = lines.flat_map(|line| line.split(',')).map(str::trim).collect();
    let (mut address, mut unread) = (from, false);
    for hop in hops.iter().rev() {
        let Some(named) = parse(hop) else {
            unread = true;
            break;
        };
        address = named;
        if !is_trusted(named) {
            break;
        }
    }
    let protocol = headers.get_all("x-forwarded-proto").iter().next_back().and_then(|line| line.to_str().ok());
    let protocol = protocol.and_then(|line| line.rsplit(',').next()).map(str::trim);
    let secure = tls || protocol.is_some_and(|protocol| protocol.eq_ignore_ascii_case("https"));
    Peer { address, secure, unread }
}

/// An address as proxies write it, with or without a port.
fn parse(text: &str) -> Option<IpAddr> {
    let whole = text.parse::<IpAddr>().ok();
    let with_port = || text.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse::<IpAddr>().ok();
    whole.or_else(with_port).or_else(in_brackets).map(|address| address.to_canonical())
}

/// The address under which a client is counted. An IPv6 client owns all addresses with the same first 64 bits.
#[must_use]
pub fn counted(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn asked(from: &str, forwarded: &[(&'static str, &str)]) -> Peer {
        let trusted: Vec<Network> = ["10.0.0.0/8", "::1"].iter().map(|text| text.parse().unwrap()).collect();
        let mut headers = HeaderMap::new();
        for (name, value) in forwarded {
            headers.append(*name, value.parse().unwrap());
        }
        peer(ip(from), false, &headers, &trusted)
    }

    #[test]
    fn a_network_holds_the_addresses_that_begin_as_it_does() {
        for (network, inside, outside) in [
            ("10.0.0.0/8", "10.255.1.2", "11.0.0.1"),
            ("10.0.0.7", "10.0.0.7", "10.0.0.8"),
            ("0.0.0.0/0", "1.2.3.4", "::1"),
            ("fd00::/8", "fd12::1", "fe80::1"),
            ("::/0", "2001:db8::1", "1.2.3.4"),
        ] {
            let network: Network = network.parse().unwrap();
            assert!(network.holds(ip(inside)) && !network.holds(ip(outside)), "{network}");
        }
        assert!("10.0.0.0/8".parse::<Network>().unwrap().holds(ip("::ffff:10.1.2.3")), "IPv4 in an IPv6 address");
        for wrong in ["", "10.0.0.0/33", "::/129", "host", "10.0.0.0/x"] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_a_trusted_proxy_names_the_client() {
        let forwarded = [("x-forwarded-for", "203.0.113.9"), ("x-forwarded-proto", "https")];
        assert_eq!(asked("192.0.2.1", &forwarded), Peer { address: ip("192.0.2.1"), secure: false, unread: false });
        assert_eq!(asked("10.0.0.2", &forwarded), Peer { address: ip("203.0.113.9"), secure: true, unread: false });
        assert_eq!(asked("10.0.0.2", &[]), Peer { address: ip("10.0.0.2"), secure: false, unread: false });
    }

    #[test]
    fn what_a_client_writes_itself_is_not_believed() {
        let lies = [("x-forwarded-for", "198.51.100.1, 127.0.0.1"), ("x-forwarded-for", "203.0.113.9, 10.0.0.3")];
        assert_eq!(asked("10.0.0.2", &lies).address, ip("203.0.113.9"));
        for nonsense in ["203.0.113.9, nonsense", "", "unknown, 10.0.0.3", "203.0.113.9,"] {
            let peer = asked("10.0.0.2", &[("x-forwarded-for", nonsense)]);
            assert!(peer.unread && peer.address.to_string().starts_with("10.0.0."), "{nonsense}: {peer:?}");
        }
        assert!(!asked("192.0.2.1", &[("x-forwarded-for", "nonsense")]).unread, "no trusted proxy wrote it");
        assert!(!asked("10.0.0.2", &[("x-forwarded-proto", "https, http")]).secure);
    }

    #[test]
    fn addresses_are_read_as_proxies_write_them() {
        for (text, address) in
            [("1.2.3.4:80", "1.2.3.4"), ("[2001:db8::1]:443", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1")]
        {
            assert_eq!(parse(text), Some(ip(address)), "{text}");
        }
    }

    #[test]
    fn an_ipv6_client_is_counted_by_its_network() {
        assert_eq!(counted(ip("2001:db8:1:2:3:4:5:6")), ip("2001:db8:1:2::"));
        assert_eq!(counted(ip("::ffff:10.1.2.3")), ip("10.1.2.3"));
    }
}
