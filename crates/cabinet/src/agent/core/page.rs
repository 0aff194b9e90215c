//! What a page in a cabinet sends.

use serde_json::{Value, json};

use super::{Action, Core, Side};

impl Core {
    pub(super) fn page(&mut self, page: u64, mut message: Value) {
        let own = message.get("number").and_then(Value::as_u64).unwrap_or(0);
        let what = message.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(error) = self.keeps_to_itself(&what) {
            return self.actions.push(Action::Page(page, json!({ "type": "answer", "number": own, "error": error })));
        }
        let number = self.number(Side::Terminal);
        self.pages.insert(number, (page, own));
        message["number"] = number.into();
        self.send(Side::Terminal, message);
    }

    /// What a page in a cabinet may not send, or not now.
    fn keeps_to_itself(&self, what: &str) -> Option<Value> {
        let error = |code: &str, rule: &str, en: &str, zh: &str| {
            Some(json!({ "code": code, "rule": rule, "message": { "en": en, "zh": zh } }))
        };
        match what {
            "bet" | "repeat" | "cash_out" if self.is_open() => {
                error("door", "S14", "a door of this cabinet is open", "机柜门未关")
            }
            "cash_out" if !self.can_print() => error(
                "printer",
                "S17",
                "the printer is not ready: please call an attendant",
                "打印机未就绪：请呼叫服务员",
            ),
            "bet" | "clear" | "repeat" | "acknowledge" | "cash_out" | "choose_table" | "loss_limit"
            | "call_attendant" => None,
            "ticket_in" | "demo_cash" => {
                error("validator", "S8", "put notes and tickets into the slot", "请将钞票或兑现券放入入钞口")
            }
            _ => error("malformed", "the cabinet", "the page of a cabinet does not send this", "机柜页面不发送此项"),
        }
    }
}
