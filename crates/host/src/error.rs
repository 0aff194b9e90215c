//! What the API answers when something is not done: a stable code, the rule behind it, and words in two languages.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use engine::Refused;
use floor::{Code, Refusal, Why};
use serde::Serialize;
use utoipa::ToSchema;

use crate::store;
use crate::view::Words;

/// Why something was not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(example = json!({ "code": "below_minimum", "rule": "3.3", "message": {
    "en": "single/2 needs at least 5.00", "zh": "低于最低投注额" } }))]
pub struct Error {
    /// A stable code for programs.
    pub code: String,
    /// The paragraph, decision, standard or setting behind it.
    pub rule: String,
    /// Words for a person.
    pub message: Words,
}

/// The body of every answer that is not a success.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    /// Why.
    pub error: Error,
}

/// An error with the status it is answered with.
#[derive(Clone, Debug)]
pub struct ApiError {
    /// The status.
    pub status: StatusCode,
    /// What the body says.
    pub error: Box<Error>,
    /// Seconds after which to try again.
    pub retry_after: Option<u64>,
}

/// What most of the API's functions return.
pub type ApiResult<T> = Result<T, ApiError>;

impl ApiError {
    /// An error of the host's own.
    pub fn new(status: StatusCode, code: &str, rule: &str, en: impl Into<String>, zh: impl Into<String>) -> ApiError {
        let error = Error { code: code.to_owned(), rule: rule.to_owned(), message: Words::new(en, zh) };
        ApiError { status, error: Box::new(error), retry_after: None }
    }

    /// Something asked for is not there.
    pub fn not_found(what: &str) -> ApiError {
        ApiError::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "the request",
            format!("there is no {what}"),
            "找不到所请求的内容",
        )
    }

    /// The request cannot be understood.
    pub fn malformed(why: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "malformed", "the request", why, "请求格式有误")
    }

    /// A field of the request cannot be taken.
    pub fn invalid(field: &str, why: impl std::fmt::Display) -> ApiError {
        let en = format!("{field}: {why}");
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", "the request", en, format!("字段 {field} 无效"))
    }

    /// Not signed in.
    pub fn unauthenticated() -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, "sign_in", "S8", "sign in first", "请先登录")
    }

    /// The caller may not do this.
    pub fn forbidden(en: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", "D11", en, "无权进行此操作")
    }

    /// Play has stopped.
    pub fn stopped(reason: &str) -> ApiError {
        let en = format!("play has stopped: {reason}");
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "stopped", "S23", en, "游戏已停止")
    }

    /// An internal error; the cause goes to the log and not outside.
    pub fn internal(cause: impl std::fmt::Display) -> ApiError {
        tracing::error!(%cause, "internal error while handling a request");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the host", "internal error", "内部错误")
    }

    /// The same, to be tried again later.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> ApiError {
        self.retry_after = Some(seconds);
        self
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        let zh = match (refusal.code, refusal.rule.as_str()) {
            // The code alone says only that the table is open.
            (Code::TableOpen, "S3") => "须先在屏幕上预告关台，到时方可关台",
            (code, _) => chinese(code),
        };
        let Why { code, rule, words } = refusal.into_why();
        Error { code: code.as_str().to_owned(), rule, message: Words::new(words, zh) }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> ApiError {
        let status = status(refusal.code);
        ApiError { status, error: Box::new(refusal.into()), retry_after: None }
    }
}

impl From<store::Error> for ApiError {
    fn from(error: store::Error) -> ApiError {
        if matches!(error, store::Error::NotEnrolled) {
            let zh = "此主机尚未登记，请由管理员在其他主机上登记";
            return ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "not_enrolled",
                "the cluster",
                error.to_string(),
                zh,
            );
        }
        if !matches!(error, store::Error::Shared(_) | store::Error::Held(_)) {
            return ApiError::internal(error);
        }
        tracing::error!(cause = %error, "credentials could not be changed");
        ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "credentials",
            "the cluster",
            "credentials cannot be changed at the moment; try again soon",
            "暂时无法更改凭证，请稍后再试",
        )
        .retry_after(5)
    }
}

impl From<Refused> for ApiError {
    fn from(refused: Refused) -> ApiError {
        match refused {
            Refused::Busy => ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                "the host",
                "too many commands are waiting; try again",
                "系统繁忙，请稍后再试",
            )
            .retry_after(1),
            Refused::Follows => ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "no_leader",
                "the host",
                "no host leads this floor at the moment; try again",
                "目前没有主机主持本场地，请稍后再试",
            )
            .retry_after(1),
            Refused::Stopped(reason) => ApiError::stopped(&reason),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        metrics::counter!("croupier_refusals_total", "code" => self.error.code.clone()).increment(1);
        let mut response = (self.status, Json(ErrorBody { error: *self.error })).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert("retry-after", seconds.into());
        }
        response
    }
}

/// The status of a refusal: it depends on the sender, the request, or the state of the floor.
pub fn status(code: Code) -> StatusCode {
    match code {
        Code::UnknownSender | Code::NotForSender | Code::Rank | Code::NotTheDealer | Code::SecondPerson => {
            StatusCode::FORBIDDEN
        }
        Code::NotFound | Code::TicketUnknown => StatusCode::NOT_FOUND,
        Code::Text | Code::Amount | Code::Rulebook | Code::Settings | Code::NotOffered | Code::OffStep => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
        _ => StatusCode::CONFLICT,
    }
}

/// Every refusal in Chinese. The English words of a refusal say more, with names and amounts.
pub fn chinese(code: Code) -> &'static str {
    match code {
        Code::Stale => "该请求编号过旧",
        Code::FeatureLevel => "所有主机升级后，须由管理员启用新的功能级别",
        Code::NumberFar => "该请求编号远超上一编号与时钟",
        Code::NumberReused => "该请求编号已用于其他请求",
        Code::Floor => "场地尚未建立或已经建立",
        Code::Locked => "游戏已锁定：程序尚未经管理员确认，或有记录缺失",
        Code::UnknownSender => "发送者未知或已停用",
        Code::NotForSender => "此操作不属于该发送者",
        Code::Rank => "职级不足",
        Code::NotTheDealer => "本台由其他荷官主持，请先接台",
        Code::NotAdvised => "须先向玩家说明最低投注额",
        Code::NotProved => "无法证明该局记录",
        Code::PreviewStale => "预览已过时，请重新查看",
        Code::SecondPerson => "需要第二位具备所需职级的人员确认",
        Code::NotFound => "找不到所请求的内容",
        Code::TooMany => "数量超出上限",
        Code::Text => "文字为空或过长",
        Code::Amount => "金额无效",
        Code::Rulebook => "规则书有误或未安装",
        Code::Settings => "设置自相矛盾或与规则书不符",
        Code::InRound => "本局进行中，不能更改",
        Code::CreditLeft => "相关终端仍有余额，不能更改",
        Code::TableClosed => "赌台已关闭或即将关闭",
        Code::TableOpen => "赌台正在开放",
        Code::Phase => "本局当前阶段不能进行此操作",
        Code::BetsClosed => "停止下注",
        Code::GroundOpen => "有待处理的作废事由，暂不结算",
        Code::Interrupted => "本局已中断，须先作出认定",
        Code::Unacknowledged => "仍有终端尚未确认停止下注",
        Code::Established => "读数显示已有结果，不能认定为未产生结果",
        Code::NoTumble => "使用中的设备未报告有效的摇骰或掷球",
        Code::Affirm => "荷官须确认文件所列各项",
        Code::ServiceChanged => "更改设备状态的人员不得输入本局结果",
        Code::SecondTumble => "本局再次摇骰或掷球，以首次有效结果为准",
        Code::FaultOpen => "须先说明设备故障是否影响本局",
        Code::NotAGround => "该规则书没有此作废事由",
        Code::NotValid => "本局的摇骰或转球无效",
        Code::TerminalUnavailable => "终端已断线或锁定",
        Code::NotOffered => "本版面没有此投注",
        Code::OffStep => "金额不是投注单位的整数倍",
        Code::BelowMinimum => "低于最低投注额",
        Code::AboveMaximum => "高于最高投注额",
        Code::MoreThanStands => "超出现有投注",
        Code::Credit => "余额不足",
        Code::LossLimit => "超出您设定的输钱上限",
        Code::Liability => "超出赌台赔付上限",
        Code::TicketUnknown => "未知票券",
        Code::TicketPaid => "票券已兑付",
        Code::TicketExpired => "票券已过期",
        Code::TicketDiffers => "金额与票券不符",
        Code::TicketVoid => "该兑现券号码已作废",
        Code::WrongTickets => "错误号码次数过多，请稍后再试",
        Code::TicketState => "票券当前状态不能进行此操作",
        Code::Shift => "收银班次未开或已开",
        Code::Float => "现金不足",
        Code::RoundOver => "该局已不能更改",
        Code::NothingToDo => "没有需要更改的内容",
        Code::Meters => "终端计数不符",
        Code::LastAdministrator => "最后一位管理员不能停用",
    }
}
