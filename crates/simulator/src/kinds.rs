//! The kinds of events by name.

use floor::Event;

macro_rules! kinds {
    ($($name:ident),+ $(,)?) => {
        /// Every kind of event.
        pub const EVENT_KINDS: &[&str] = &[$(stringify!($name)),+];

        /// The kind of an event.
        #[must_use]
        pub fn kind(event: &Event) -> &'static str {
            match event { $(Event::$name { .. } => stringify!($name)),+ }
        }
    };
}

kinds! {
    FloorCreated, ProgramStarted, ProgramApproved, ProgramAccepted, RulebookInstalled, PowerRaised, TableAdded, RulebookPinned, SettingsChanged, TerminalEnrolled,
    TerminalMoved, DeviceAdded, DeviceMoved, StaffAdded, StaffChanged, ActingAssigned, DealerChanged, TableOpened,
    ClosingAnnounced, TableClosed, TerminalLocked, TerminalUnlocked, CashIn, AttendantIn, TicketIn, TicketPrepared,
    TicketPrinted, PrintFailed, AttendantPaid, LossLimitSet, TicketReprinted, TicketExpired, ShiftOpened, ShiftClosed,
    TicketSold, TicketRedeemed, CorrectionPaid, RoundBegun, BetsOpened, BetsChanged, BetsClosed, CloseAcknowledged,
    CountedLost, Observed, GroundRaised, GroundDismissed, ResultEntered, ResultChanged, RoundSettled, ChipsSettled,
    RoundVoided, RoundCorrected, SettledRoundVoided, ChipsCorrected, StoppageRecorded, RoundInterrupted, Attested,
    TerminalLost, TerminalBack, Decided, DisplayRecorded, AlertRaised, AlertAcknowledged, ChipsPlaced, ChipsTaken,
    ExcessRejected, MinimumAdvised, UnderMinimumRefused, LateRefused, PlayerLeft, FloatMoved, CorrectionPart,
    TicketResolved, TicketReplaced, DayBegan, ThresholdsSet, ShiftCounted, Recovered, WrongTicketTried,
    CodesSealed, SealedCodeOpened,
    Noted, FeatureLevelRaised, LossFound, LossAccepted, AlertRepeated,
    ClockJumped, ClockAccepted, CredentialChanged, EnrolmentCodeMade, HostKeyChanged, PayablePaid, ExpiredPaid, DrawerMoved,
    WrongTicketsLifted,
    UncoveringDeclared, ChipsRemoved, RecordingPeriodSet, RoundRecalled, RoundsPutBack, SecondPersonCalled,
    CallAnswered, DecidedAlone, Countersigned, TablesOffered, TableChosen, RecordCorrected,
    SecondTumble, StartedAgain, FirstOutcomeStands, SecondTumbleSetAside, ServiceChanged,
    DeviceDescribed, ResultWitnessed, InterruptionReported, FaultAsked, FaultAnswered, ObservedLate,
    ObservedMeanwhile, EarlyRestStated,
}
