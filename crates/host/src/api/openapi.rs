//! The API document, made from the same list as the routes.

mod credentials;
mod papers;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, PathsBuilder, Ref, RefOr,
    Required, ResponseBuilder,
};
use utoipa::{IntoParams, ToSchema};
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::api::FLOOR;
use crate::api::command::{Accepted, Request};
use crate::api::commands::{self, EachRequest};
use crate::api::demonstration::{Automatic, DeviceOrder};
use crate::api::hosts::EnrolHost;
use crate::api::read::{HostBody, PartAsked, TerminalBody, TimeBody};
use crate::api::receipts::ReceiptBody;
use crate::api::records::{
    EventsAsked, FoundMoneyBody, MoneyAsked, MoneyBody, RecallBody, ResultsBody, RoundBody, RoundsAsked, RoundsBody,
    SignificantBody,
};
use crate::api::sealed::{SealCodes, SealedBody};
use crate::api::session::{
    AddStaff, CodeBody, Enrol, EnrolledBody, MakeCode, NewPassword, NonceBody, Prove, SessionBody, SignIn, Sit,
    StaffAdded, TokenBody,
};
use crate::api::tickets::{
    Bets, ExpiredBody, PrintJobBody, RedeemTicket, RedeemedBody, Repeat, ReprintTicket, SellTicket, TicketBody,
};
use crate::demo::{Doors, FaultRow};
use crate::error::ErrorBody;
use crate::feed::message::{ClientMessage, HostMessage};
use crate::members::HostsBody;
use crate::view;

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    document()
        .to_pretty_json()
        .map(|mut text| {
            text.push('\n');
            text
        })
        .unwrap_or_default()
});

/// The document as text.
#[must_use]
pub fn text() -> &'static str {
    &DOCUMENT
}

/// Serves the document.
pub async fn serve() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text()).into_response()
}

/// A page to read it with.
pub fn swagger() -> SwaggerUi {
    SwaggerUi::new("/api/docs").config(Config::from("/openapi.json"))
}

/// What a request needs.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Needs {
    /// Nothing.
    Nothing,
    /// A session.
    Session,
    /// A session or token, and a number.
    Command,
}

/// A read request: path, name, words, answer, parameters, and whether it needs a session.
type Looked = (&'static str, &'static str, &'static str, RefOr<Schema>, Vec<Parameter>, bool);

struct Document {
    paths: PathsBuilder,
    schemas: BTreeMap<String, RefOr<Schema>>,
}

/// One line of the list.
struct Line {
    method: HttpMethod,
    path: String,
    id: &'static str,
    tag: &'static str,
    summary: &'static str,
    needs: Needs,
    query: Vec<Parameter>,
    /// The least body that can be taken, if the request has one.
    request: Option<RefOr<Schema>>,
    response: (u16, Option<RefOr<Schema>>),
    errors: Vec<u16>,
    /// Whether the answer comes as a paper too.
    papers: bool,
}

impl EachRequest for Document {
    fn one<R: Request>(&mut self) {
        let request = Some(self.schema::<R>());
        let response = (200, Some(self.schema::<Accepted>()));
        self.line(Line {
            method: HttpMethod::Post,
            path: format!("{FLOOR}{}", R::PATH),
            id: R::ID,
            tag: R::TAG,
            summary: R::SUMMARY.trim(),
            needs: Needs::Command,
            query: Vec::new(),
            request,
            response,
            errors: vec![400, 401, 403, 404, 409, 413, 422, 429, 503],
            papers: false,
        });
    }
}

fn words(status: u16) -> &'static str {
    match status {
        200 => "Done.",
        204 => "Done; there is nothing to say.",
        400 => "The request cannot be understood.",
        401 => "The caller is not signed in, or the login or password is wrong.",
        403 => "The caller may not do this.",
        404 => "There is no such thing.",
        409 => "Not as things stand: the code and the paragraph say why.",
        413 => "The body is too large.",
        422 => "A field cannot be taken.",
        429 => "Too many requests or wrong passwords; try again later.",
        503 => "Busy, play has stopped, or credentials cannot be changed at the moment.",
        _ => "",
    }
}

impl Document {
    fn schema<T: ToSchema>(&mut self) -> RefOr<Schema> {
        let mut found = Vec::new();
        T::schemas(&mut found);
        found.push((T::name().into_owned(), T::schema()));
        self.schemas.extend(found);
        RefOr::Ref(Ref::from_schema_name(T::name()))
    }

    fn line(&mut self, line: Line) {
        let Line { method, path, id, tag, summary, needs, query, request, response, mut errors, papers } = line;
        // Any address may send too many requests. A request that changes or looks something up may find that no host
        // can handle it.
        errors.push(429);
        if needs != Needs::Nothing || method != HttpMethod::Get {
            errors.push(503);
        }
        errors.sort_unstable();
        errors.dedup();
        let (status, schema) = response;
        let mut operation = OperationBuilder::new().operation_id(Some(id)).tag(tag).summary(Some(summary));
        for name in path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
            let word = matches!(name, "floor" | "host" | "rulebook" | "layout" | "kind" | "list" | "passkey");
            let kind = if word { Type::String } else { Type::Integer };
            let mut schema = ObjectBuilder::new().schema_type(kind);
            if !word {
                schema = schema.minimum(Some(0_u32));
            }
            let parameter = ParameterBuilder::new()
                .name(name)
                .parameter_in(ParameterIn::Path)
                .required(Required::True)
                .schema(Some(schema));
            operation = operation.parameter(parameter);
        }
        for parameter in query {
            operation = operation.parameter(parameter);
        }
        if needs == Needs::Command {
            let number = ObjectBuilder::new()
                .schema_type(Type::Integer)
                .minimum(Some(1_u32))
                .maximum(Some(9_007_199_254_740_991_u64));
            let parameter = ParameterBuilder::new()
                .name("Idempotency-Key")
                .parameter_in(ParameterIn::Header)
                .required(Required::True)
                .description(Some(
                    "The sender's own count, larger than any used before. A retry with the same number gets the first \
                     answer; the same number with another body is refused.",
                ))
                .schema(Some(number));
            operation = operation.parameter(parameter);
        }
        if needs != Needs::Nothing {
            let none: [String; 0] = [];
            operation = operation
                .security(SecurityRequirement::new("session", none.clone()))
                .security(SecurityRequirement::new("token", none));
        }
        if let Some(schema) = request {
            let content = ContentBuilder::new().schema(Some(schema)).build();
            let body = RequestBodyBuilder::new().content("application/json", content).required(Some(Required::True));
            operation = operation.request_body(Some(body.build()));
        }
        let mut success = ResponseBuilder::new().description(words(status));
        if let Some(schema) = schema {
            success = success.content("application/json", ContentBuilder::new().schema(Some(schema)).build());
        }
        if papers {
            success = papers::forms(success);
        }
        operation = operation.response(status.to_string(), success);
        for status in errors {
            let schema = self.schema::<ErrorBody>();
            let content = ContentBuilder::new().schema(Some(schema)).build();
            let response = ResponseBuilder::new().description(words(status)).content("application/json", content);
            operation = operation.response(status.to_string(), response);
        }
        let paths = std::mem::take(&mut self.paths);
        let item = utoipa::openapi::PathItem::new(method, operation);
        self.paths = merge(paths, path, item);
    }

    /// Which hosts may speak for the floor.
    fn keys_of_hosts(&mut self) {
        let enrol = self.schema::<EnrolHost>();
        for (method, id, summary, request, errors) in [
            (
                HttpMethod::Post,
                "EnrolHost",
                "Enrols a host of a floor on a cluster, or gives it another key, by two people.",
                Some(enrol),
                vec![400, 401, 403, 404, 409, 413, 422, 429, 503],
            ),
            (
                HttpMethod::Delete,
                "RevokeHost",
                "Revokes the key of a host: nothing it says counts any more.",
                None,
                vec![400, 401, 403, 404, 409],
            ),
        ] {
            self.line(Line {
                method,
                path: format!("{FLOOR}/hosts/{{host}}/key"),
                id,
                tag: "keys",
                summary,
                needs: Needs::Session,
                query: Vec::new(),
                request,
                response: (204, None),
                errors,
                papers: false,
            });
        }
    }

    /// What is no command.
    fn others(&mut self) {
        use HttpMethod::{Delete, Get, Post};
        let get = |path: &str, id, tag, summary, response, errors: &[u16]| Line {
            method: Get,
            path: if path.starts_with("/api") { path.to_owned() } else { format!("{FLOOR}{path}") },
            id,
            tag,
            summary,
            needs: Needs::Nothing,
            query: Vec::new(),
            request: None,
            response: (200, Some(response)),
            errors: errors.to_vec(),
            papers: false,
        };
        let host = self.schema::<HostBody>();
        self.line(get("/api/v1/host", "Host", "floor", "The program that runs, by its hashes (S9).", host, &[]));
        let floor = self.schema::<view::FloorSection>();
        self.line(get("", "Floor", "floor", "The floor: its tables and terminals.", floor, &[404]));
        let hosts = self.schema::<HostsBody>();
        self.line(get(
            "/hosts",
            "Hosts",
            "floor",
            "The hosts of the floor; any of them serves any client.",
            hosts,
            &[404],
        ));
        self.keys_of_hosts();
        let time = self.schema::<TimeBody>();
        self.line(get("/time", "Time", "floor", "The host's clock.", time, &[404]));
        let rows = self.schema::<view::RulebookRow>();
        let list = RefOr::T(Schema::Array(utoipa::openapi::schema::ArrayBuilder::new().items(rows).build()));
        self.line(get("/rulebooks", "Rulebooks", "floor", "The rulebooks installed.", list, &[404]));
        let book = self.schema::<view::RulebookBody>();
        self.line(get("/rulebooks/{rulebook}", "Rulebook", "floor", "A rulebook, by hash or id.", book, &[404]));
        let doors = self.schema::<Doors>();
        let summary = "Who to sign in as and where to play, in a demonstration.";
        self.line(get("/demonstration", "Doors", "demonstration", summary, doors, &[404]));

        self.records();
        self.reports();
        self.lab();

        let other = |method: HttpMethod, path: &str, id, tag, summary, needs, request, response, errors: &[u16]| Line {
            method,
            path: format!("{FLOOR}{path}"),
            id,
            tag,
            summary,
            needs,
            query: Vec::new(),
            request,
            response,
            errors: errors.to_vec(),
            papers: false,
        };
        let session = self.schema::<SessionBody>();
        let sign_in = self.schema::<SignIn>();
        self.line(other(
            Post,
            "/session",
            "SignIn",
            "signing in",
            "Signs in; the answer sets a cookie.",
            Needs::Nothing,
            Some(sign_in),
            (200, Some(session.clone())),
            &[400, 401, 403, 404, 413, 422, 429],
        ));
        self.line(other(
            Get,
            "/session",
            "Who",
            "signing in",
            "Who is signed in.",
            Needs::Session,
            None,
            (200, Some(session)),
            &[401, 403, 404],
        ));
        self.line(other(
            Delete,
            "/session",
            "SignOut",
            "signing in",
            "Signs out.",
            Needs::Session,
            None,
            (204, None),
            &[401, 403, 404],
        ));
        let password = self.schema::<NewPassword>();
        self.line(other(
            Post,
            "/session/password",
            "ChangePassword",
            "signing in",
            "Changes the password of the person who is signed in.",
            Needs::Session,
            Some(password),
            (204, None),
            &[400, 401, 403, 404, 413, 422, 429],
        ));
        let (add, added) = (self.schema::<AddStaff>(), self.schema::<StaffAdded>());
        self.line(other(
            Post,
            "/staff",
            "AddStaff",
            "set-up",
            "Employs a person with a login.",
            Needs::Command,
            Some(add),
            (200, Some(added)),
            &[400, 401, 403, 404, 409, 413, 422, 429, 503],
        ));
        self.credentials();
        self.line(other(
            Delete,
            "/staff/{staff}/sessions",
            "EndSessions",
            "set-up",
            "Ends a person's sessions.",
            Needs::Session,
            None,
            (204, None),
            &[400, 401, 403, 404],
        ));
        let (make, code) = (self.schema::<MakeCode>(), self.schema::<CodeBody>());
        for (path, id, summary) in [
            ("/terminals/{terminal}/code", "TerminalCode", "Makes a one-time code for a terminal."),
            ("/devices/{device}/code", "DeviceCode", "Makes a one-time code for a device."),
        ] {
            self.line(other(
                Post,
                path,
                id,
                "keys",
                summary,
                Needs::Session,
                Some(make.clone()),
                (200, Some(code.clone())),
                &[400, 401, 403, 404, 409, 422],
            ));
        }
        for (path, id, summary) in [
            ("/terminals/{terminal}/key", "RevokeTerminal", "Revokes the key of a terminal."),
            ("/devices/{device}/key", "RevokeDevice", "Revokes the key of a device."),
        ] {
            self.line(other(
                Delete,
                path,
                id,
                "keys",
                summary,
                Needs::Session,
                None,
                (204, None),
                &[400, 401, 403, 404],
            ));
        }
        let (enrol, key) = (self.schema::<Enrol>(), self.schema::<EnrolledBody>());
        self.line(other(
            Post,
            "/enrol",
            "Enrol",
            "keys",
            "Enrols a public key by a one-time code.",
            Needs::Nothing,
            Some(enrol),
            (200, Some(key.clone())),
            &[400, 403, 404, 413, 422],
        ));
        let (nonce, sit) = (self.schema::<NonceBody>(), self.schema::<Sit>());
        self.line(other(
            Post,
            "/keys/challenge",
            "Challenge",
            "keys",
            "Something to prove a key with.",
            Needs::Nothing,
            None,
            (200, Some(nonce)),
            &[404],
        ));
        let (prove, token) = (self.schema::<Prove>(), self.schema::<TokenBody>());
        self.line(other(
            Post,
            "/keys/prove",
            "Prove",
            "keys",
            "Proves a key and gets a token for it.",
            Needs::Nothing,
            Some(prove),
            (200, Some(token)),
            &[400, 403, 404, 413, 422],
        ));
        self.line(other(
            Post,
            "/demonstration/terminals/{terminal}/sit",
            "Sit",
            "demonstration",
            "Enrols the key of a visitor at a free terminal.",
            Needs::Nothing,
            Some(sit),
            (200, Some(key)),
            &[400, 404, 413, 422],
        ));
        let automatic = self.schema::<Automatic>();
        self.line(other(
            Post,
            "/demonstration/tables/{table}/automatic",
            "SetAutomatic",
            "demonstration",
            "Lets a machine deal at a table, or a person.",
            Needs::Session,
            Some(automatic),
            (204, None),
            &[400, 401, 403, 404, 413, 422],
        ));
        self.schema::<crate::api::past::ChangeInput>();
        let wanted = self.schema::<crate::api::past::PreviewInput>();
        self.schema::<crate::api::past::PreviewRow>();
        let shown = self.schema::<crate::api::past::PreviewBody>();
        self.line(other(
            Post,
            "/tables/{table}/preview",
            "Preview",
            "rounds",
            "Shows what a correction or void of rounds would move, before it is confirmed (D24).",
            Needs::Session,
            Some(wanted),
            (200, Some(shown)),
            &[400, 401, 403, 404, 409, 413, 422, 503],
        ));
        let order = self.schema::<DeviceOrder>();
        self.line(other(
            Post,
            "/demonstration/tables/{table}/device",
            "OrderDevice",
            "demonstration",
            "Has the simulated device of a table do something.",
            Needs::Session,
            Some(order),
            (204, None),
            &[400, 401, 403, 404, 413, 422],
        ));
        let all = [400, 401, 403, 404, 409, 413, 422, 429, 503];
        let accepted = self.schema::<Accepted>();
        let bets = self.schema::<Bets>();
        self.line(other(
            Post,
            "/terminals/{terminal}/bets",
            "Bets",
            "terminals",
            "Places, raises and withdraws bets, all or nothing; by the terminal itself.",
            Needs::Command,
            Some(bets),
            (200, Some(accepted.clone())),
            &all,
        ));
        self.line(other(
            Post,
            "/terminals/{terminal}/clear",
            "ClearBets",
            "terminals",
            "Withdraws all bets; by the terminal itself.",
            Needs::Command,
            None,
            (200, Some(accepted.clone())),
            &all,
        ));
        let repeat = self.schema::<Repeat>();
        self.line(other(
            Post,
            "/terminals/{terminal}/repeat",
            "RepeatBets",
            "terminals",
            "Places the bets of the last round again; by the terminal itself.",
            Needs::Command,
            Some(repeat),
            (200, Some(accepted)),
            &all,
        ));
        let ticket = self.schema::<TicketBody>();
        self.line(other(
            Post,
            "/terminals/{terminal}/cash-out",
            "CashOut",
            "terminals",
            "Prepares a ticket for the whole credit; by the terminal itself.",
            Needs::Command,
            None,
            (200, Some(ticket.clone())),
            &all,
        ));
        let sell = self.schema::<SellTicket>();
        self.line(other(
            Post,
            "/cage/sell",
            "SellTicket",
            "cage",
            "Sells a ticket for cash.",
            Needs::Command,
            Some(sell),
            (200, Some(ticket.clone())),
            &all,
        ));
        let (redeem, redeemed) = (self.schema::<RedeemTicket>(), self.schema::<RedeemedBody>());
        self.line(other(
            Post,
            "/cage/redeem",
            "RedeemTicket",
            "cage",
            "Pays a ticket; the answer says how much.",
            Needs::Command,
            Some(redeem),
            (200, Some(redeemed)),
            &all,
        ));
        let reprint = self.schema::<ReprintTicket>();
        self.line(other(
            Post,
            "/cage/tickets/{ticket}/reprint",
            "ReprintTicket",
            "cage",
            "Replaces a ticket by a duplicate with a number of its own, in doubt until it is printed.",
            Needs::Command,
            Some(reprint),
            (200, Some(ticket)),
            &all,
        ));
        let (seal, sealed) = (self.schema::<SealCodes>(), self.schema::<SealedBody>());
        self.line(other(
            Post,
            "/sealed-codes",
            "SealCodes",
            "set-up",
            "Makes sealed one-time codes, which are shown this once.",
            Needs::Command,
            Some(seal),
            (200, Some(sealed)),
            &all,
        ));
        let job = self.schema::<PrintJobBody>();
        self.line(other(
            Post,
            "/terminals/{terminal}/print-job",
            "PrintJob",
            "terminals",
            "The print job of the ticket in doubt once more; for the terminal itself.",
            Needs::Session,
            None,
            (200, Some(job)),
            &[401, 403, 404],
        ));
        let job = self.schema::<PrintJobBody>();
        self.line(other(
            Post,
            "/cage/tickets/{ticket}/print-job",
            "CounterPrintJob",
            "cage",
            "The print job of a ticket in doubt once more; for the person who sold it or printed it again.",
            Needs::Session,
            None,
            (200, Some(job)),
            &[401, 403, 404],
        ));
        let expired = self.schema::<ExpiredBody>();
        self.line(other(
            Get,
            "/tickets/{ticket}/expired",
            "ExpiredTicket",
            "cage",
            "An expired ticket, by its id; for the cage and the pit.",
            Needs::Session,
            None,
            (200, Some(expired)),
            &[401, 403, 404],
        ));
    }

    /// What has been.
    fn records(&mut self) {
        let lines: [Looked; 10] = [
            (
                "/terminals/{terminal}",
                "Terminal",
                "A terminal's credit, bets and ticket in doubt; for the terminal itself and for staff who read records.",
                self.schema::<TerminalBody>(),
                Vec::new(),
                true,
            ),
            (
                "/pit/{list}",
                "PitList",
                "A list of the pit in parts: `payables`, `stops`, `staff`, `doubts`, `moved`, `calls` or `links`.",
                self.schema::<view::PitListBody>(),
                PartAsked::into_params(|| None),
                true,
            ),
            (
                "/tables/{table}/results",
                "Results",
                "Recent results of a table, oldest first.",
                self.schema::<ResultsBody>(),
                Vec::new(),
                false,
            ),
            (
                "/records/rounds",
                "FindRounds",
                "Rounds, newest first.",
                self.schema::<RoundsBody>(),
                RoundsAsked::into_params(|| None),
                true,
            ),
            (
                "/records/rounds/{round}",
                "PastRound",
                "A whole round: every bet, every event, who did what (S5).",
                self.schema::<RoundBody>(),
                Vec::new(),
                true,
            ),
            (
                "/records/terminals/{terminal}/rounds",
                "Recall",
                "A terminal's last ten rounds, complete (S13).",
                self.schema::<RecallBody>(),
                Vec::new(),
                true,
            ),
            (
                "/records/terminals/{terminal}/money",
                "RecallMoney",
                "A terminal's last 35 money transactions (S13).",
                self.schema::<MoneyBody>(),
                Vec::new(),
                true,
            ),
            (
                "/records/money",
                "FindMoney",
                "Movements of money, newest first: what a dispute is about.",
                self.schema::<FoundMoneyBody>(),
                MoneyAsked::into_params(|| None),
                true,
            ),
            (
                "/terminals/{terminal}/receipts/{round}",
                "Receipt",
                "The receipt of a round of the visit: the terminal's own bets and what they returned, with proofs.",
                self.schema::<ReceiptBody>(),
                Vec::new(),
                true,
            ),
            (
                "/records/events",
                "FindEvents",
                "Significant events, newest first (S14).",
                self.schema::<SignificantBody>(),
                EventsAsked::into_params(|| None),
                true,
            ),
        ];
        for (path, id, summary, response, query, signed_in) in lines {
            let (needs, errors) = if signed_in {
                (Needs::Session, vec![400, 401, 403, 404, 422, 429, 503])
            } else {
                (Needs::Nothing, vec![400, 404, 429])
            };
            self.line(Line {
                method: HttpMethod::Get,
                path: format!("{FLOOR}{path}"),
                id,
                tag: "records",
                summary,
                needs,
                query,
                request: None,
                response: (200, Some(response)),
                errors,
                papers: false,
            });
        }
    }

    /// What feeds send and take, and the sections of their views.
    fn feeds(&mut self) {
        self.schema::<HostMessage>();
        self.schema::<ClientMessage>();
        self.schema::<view::TableSection>();
        self.schema::<view::RoundSection>();
        self.schema::<view::ResultRow>();
        self.schema::<view::LastRoundSection>();
        self.schema::<view::OwnSection>();
        self.schema::<view::BetRow>();
        self.schema::<view::ConsoleSection>();
        self.schema::<view::PitSection>();
        self.schema::<view::CageSection>();
        self.schema::<view::DeviceSection>();
        self.schema::<view::StaffSection>();
        self.schema::<view::ControlSection>();
        self.schema::<crate::app::HealthSection>();
        self.schema::<FaultRow>();
    }
}

fn merge(paths: PathsBuilder, path: String, item: utoipa::openapi::PathItem) -> PathsBuilder {
    let mut built = paths.build();
    match built.paths.get_mut(&path) {
        Some(found) => found.merge_operations(item),
        None => drop(built.paths.insert(path, item)),
    }
    built.into()
}

const FEEDS: &str = "Everything the floor can do. Commands are `POST` with an `Idempotency-Key`; what can be watched \
comes over one WebSocket per client: `GET /api/v1/floors/{floor}/feed/{kind}/{id}` with kind `terminal`, `device`, \
`console` or `display`, or without an id `pit`, `cage` or `admin`. The host's messages are `HostMessage`, the client's \
`ClientMessage`. The first message of a client is `hello`, for terminals and devices with the proof of their key over \
the host's `challenge`. A `snapshot` has every section of the view; an `update` has those that changed and the events \
that happened, up to `sequence`. Both carry the `cursor` to come back with, an opaque text. Sections: `table` TableSection, `round` \
RoundSection or null, `results` [ResultRow], `results_added` [ResultRow] to be put at their end, `last_round` \
LastRoundSection, `lit` [spot]; for a terminal `own` OwnSection, `bets` [BetRow] and `bets_set` [BetRow] to be put over \
them; for a console `console` ConsoleSection and `faults` [FaultRow]; `pit` PitSection; `cage` CageSection; for the \
administration `floor`, `devices`, `staff` and `health`. Amounts are strings with two decimals, moments milliseconds since 1970, spots and outcomes in the \
notation of the rulebooks.";

/// The document.
#[must_use]
pub fn document() -> OpenApi {
    let mut document = Document { paths: PathsBuilder::new(), schemas: BTreeMap::new() };
    document.others();
    commands::each(&mut document);
    document.feeds();
    let mut components = ComponentsBuilder::new()
        .security_scheme(
            "session",
            SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::with_description(
                crate::api::caller::COOKIE,
                "Made by signing in; over TLS its name is `__Host-croupier_session`. Requests that change something also send the header `X-Croupier: 1`.",
            ))),
        )
        .security_scheme("token", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    for (name, schema) in document.schemas {
        components = components.schema(name, schema);
    }
    let license = LicenseBuilder::new().name("MIT OR Apache-2.0").identifier(Some("MIT OR Apache-2.0")).build();
    let info =
        InfoBuilder::new().title("Croupier").version("1").description(Some(FEEDS)).license(Some(license)).build();
    OpenApiBuilder::new().info(info).paths(document.paths).components(Some(components.build())).build()
}
