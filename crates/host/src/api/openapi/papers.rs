//! Reports and the laboratory in the API document: answers that come as data or as papers.

use records::report::{
    DayReport, EventsReport, PeopleReport, ShiftReport, ShiftsReport, SlipReport, SlipsReport, TableReport,
    TerminalReport, TicketsReport, VoidsReport,
};
use utoipa::IntoParams;
use utoipa::openapi::path::{HttpMethod, Parameter};
use utoipa::openapi::schema::{ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{ContentBuilder, RefOr, ResponseBuilder};

use super::{Document, Line, Needs};
use crate::api::FLOOR;
use crate::api::lab::{CompareAsked, OddsBody, SessionAsked};
use crate::api::reports::{DayAsked, DaysAsked, EventsOfDays, FormAsked, RoundReportBody};
use crate::view;

/// A report: path, name, words, answer, parameters.
type Reported = (&'static str, &'static str, &'static str, RefOr<Schema>, Vec<Parameter>);

/// The forms of a paper besides data.
pub(super) fn forms(mut success: ResponseBuilder) -> ResponseBuilder {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let bytes = || text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)));
    for (kind, schema) in
        [("text/html", text()), ("application/pdf", bytes()), ("text/csv", text()), ("text/plain", text())]
    {
        success = success.content(kind, ContentBuilder::new().schema(Some(schema)).build());
    }
    success
}

impl Document {
    fn paper(&mut self, tag: &'static str, needs: Needs, path: String, reported: Reported) {
        let (_, id, summary, response, query) = reported;
        let errors = match needs {
            Needs::Nothing => vec![400, 404, 422, 429, 503],
            _ => vec![400, 401, 403, 404, 422, 429, 503],
        };
        self.line(Line {
            method: HttpMethod::Get,
            path,
            id,
            tag,
            summary,
            needs,
            query,
            request: None,
            response: (200, Some(response)),
            errors,
            papers: true,
        });
    }

    /// The papers a casino files.
    pub(super) fn reports(&mut self) {
        let form = || FormAsked::into_params(|| None);
        let day = || DayAsked::into_params(|| None);
        let days = || DaysAsked::into_params(|| None);
        let events = EventsOfDays::into_params(|| None);
        let lines: [Reported; 12] = [
            (
                "/reports/day",
                "DayReport",
                "The gaming day by table and game: drop, turnover, win, hold against its band, and the day's checkpoint.",
                self.schema::<DayReport>(),
                day(),
            ),
            (
                "/reports/table/{table}",
                "TableReport",
                "One table by hour (by day, if more than three), with its results and the limits in force.",
                self.schema::<TableReport>(),
                days(),
            ),
            (
                "/reports/terminal/{terminal}",
                "TerminalReport",
                "A terminal's meters with the identity they must satisfy, its last rounds and money.",
                self.schema::<TerminalReport>(),
                form(),
            ),
            ("/reports/shift", "ShiftsReport", "All shifts at the cage.", self.schema::<ShiftsReport>(), form()),
            (
                "/reports/shift/{shift}",
                "ShiftReport",
                "A cashier's handover: float, in, out, expected, counted, difference.",
                self.schema::<ShiftReport>(),
                form(),
            ),
            (
                "/reports/slips",
                "SlipsReport",
                "The slips of a day, each with its count by denomination, reason and second person.",
                self.schema::<SlipsReport>(),
                day(),
            ),
            (
                "/reports/slips/{slip}",
                "SlipReport",
                "One slip, by the number of its record, to be printed again; the paper is marked as a copy.",
                self.schema::<SlipReport>(),
                form(),
            ),
            (
                "/reports/tickets",
                "TicketsReport",
                "Tickets issued, redeemed and expired on a day, and those outstanding with their ages; never a number.",
                self.schema::<TicketsReport>(),
                day(),
            ),
            (
                "/reports/people",
                "PeopleReport",
                "Who moved what alone, what the audit of people found, tickets in doubt, and large cash by visit.",
                self.schema::<PeopleReport>(),
                day(),
            ),
            (
                "/reports/voids",
                "VoidsReport",
                "Void rounds and corrections, with who, witness, why, and the paragraph.",
                self.schema::<VoidsReport>(),
                days(),
            ),
            (
                "/reports/events",
                "EventsReport",
                "Significant events: power, links, faults, hand pays, configuration, access and the like.",
                self.schema::<EventsReport>(),
                events,
            ),
            (
                "/reports/round/{round}",
                "RoundReport",
                "One round for a dispute: every bet, the result, the pay table and its hash, every event, the chain proof.",
                self.schema::<RoundReportBody>(),
                form(),
            ),
        ];
        for reported in lines {
            self.paper("reports", Needs::Session, format!("{FLOOR}{}", reported.0), reported);
        }
    }

    /// The laboratory.
    pub(super) fn lab(&mut self) {
        let look = |path: &str, id, summary, response, errors: &[u16]| Line {
            method: HttpMethod::Get,
            path: path.to_owned(),
            id,
            tag: "laboratory",
            summary,
            needs: Needs::Nothing,
            query: Vec::new(),
            request: None,
            response: (200, Some(response)),
            errors: errors.to_vec(),
            papers: false,
        };
        let row = self.schema::<view::RulebookRow>();
        let rows = RefOr::T(Schema::Array(ArrayBuilder::new().items(row).build()));
        let summary = "The rulebooks that can be looked into: those installed, and those inside the program.";
        self.line(look("/api/v1/lab/rulebooks", "LabRulebooks", summary, rows, &[429]));
        let book = self.schema::<view::RulebookBody>();
        let summary = "A rulebook, by hash or id.";
        self.line(look("/api/v1/lab/rulebooks/{rulebook}", "LabRulebook", summary, book, &[404, 429]));
        let lines: [Reported; 3] = [
            (
                "/api/v1/lab/rulebooks/{rulebook}/layouts/{layout}/odds",
                "LabOdds",
                "The odds of every spot of a layout: ways, hit frequency, edge, variance; exact fractions and decimals.",
                self.schema::<OddsBody>(),
                FormAsked::into_params(|| None),
            ),
            (
                "/api/v1/lab/rulebooks/{rulebook}/layouts/{layout}/session",
                "LabSession",
                "What so many rounds of given bets can bring, exactly: the distribution, ahead or behind, ruin, the hold.",
                self.schema::<lab::session::Session>(),
                SessionAsked::into_params(|| None),
            ),
            (
                "/api/v1/lab/compare",
                "LabCompare",
                "Pay tables side by side: what one costs a player against another.",
                self.schema::<lab::compare::Comparison>(),
                CompareAsked::into_params(|| None),
            ),
        ];
        for reported in lines {
            self.paper("laboratory", Needs::Nothing, reported.0.to_owned(), reported);
        }
    }
}
