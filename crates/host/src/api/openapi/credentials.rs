//! What people sign in with, in the API document.

use utoipa::openapi::path::HttpMethod::{Get, Post};
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};

use super::{Document, Line, Needs};
use crate::api::FLOOR;
use crate::api::credentials::{
    AddPasskey, AskChallenge, ChallengeBody, CredentialsBody, PasskeyBody, RemovePasskey, SetPassword,
};

const ALL: [u16; 8] = [400, 401, 403, 404, 413, 422, 429, 503];

impl Document {
    /// Passwords set by others, waits lifted, passkeys, links approved.
    pub(super) fn credentials(&mut self) {
        let list = |row| Some(RefOr::T(Schema::Array(ArrayBuilder::new().items(row).build())));
        let (set, remove) = (Some(self.schema::<SetPassword>()), Some(self.schema::<RemovePasskey>()));
        let (ask, challenge) = (Some(self.schema::<AskChallenge>()), Some(self.schema::<ChallengeBody>()));
        let (add, passkey) = (Some(self.schema::<AddPasskey>()), self.schema::<PasskeyBody>());
        let credentials = list(self.schema::<CredentialsBody>());
        let passkeys = list(passkey.clone());
        let reset = "Gives a person a login and password, by two people; its owner must change it first.";
        let nothing = (204, None);
        for (method, path, id, tag, summary, request, response) in [
            (Post, "/staff/{staff}/password", "SetPassword", "set-up", reset, set, nothing.clone()),
            (Post, "/staff/{staff}/unlock", "Unlock", "set-up", "Lifts the waits of a login.", None, nothing.clone()),
            (
                Get,
                "/staff/credentials",
                "Credentials",
                "set-up",
                "What people sign in with, without secrets.",
                None,
                (200, credentials),
            ),
            (
                Post,
                "/staff/{staff}/passkeys/{passkey}/remove",
                "RemovePasskey",
                "set-up",
                "Removes a passkey, by two people.",
                remove,
                nothing.clone(),
            ),
            (
                Get,
                "/session/passkeys",
                "Passkeys",
                "signing in",
                "The passkeys of the person who is signed in.",
                None,
                (200, passkeys),
            ),
            (
                Post,
                "/session/passkeys",
                "AddPasskey",
                "signing in",
                "Adds a passkey for the person who is signed in.",
                add,
                (200, Some(passkey)),
            ),
            (
                Post,
                "/session/passkeys/challenge",
                "PasskeyChallenge",
                "signing in",
                "Something for a passkey to sign.",
                ask,
                (200, challenge),
            ),
            (
                Post,
                "/links/{link}/approve",
                "ApproveLink",
                "keys",
                "Approves a link with a key that is in use at another place.",
                None,
                nothing.clone(),
            ),
            (Post, "/links/{link}/refuse", "RefuseLink", "keys", "Refuses it: the link ends.", None, nothing),
        ] {
            let needs = if id == "PasskeyChallenge" { Needs::Nothing } else { Needs::Session };
            self.line(Line {
                method,
                path: format!("{FLOOR}{path}"),
                id,
                tag,
                summary,
                needs,
                query: Vec::new(),
                request,
                response,
                errors: ALL.to_vec(),
                papers: false,
            });
        }
    }
}
