//! What clients ask, and who answers.

use super::answers::{
    completion, format, hints, hover, lenses, navigation, outline, rename, tokens,
};
use super::position::Encoding;
use super::state::{Document, State};
use super::worker::{Pace, Slow};
use lsp_server::{ErrorCode, Request, RequestId, Response};
use lsp_types::request::{self, Request as Kind};
use lsp_types::{
    CodeLens, CodeLensOptions, CompletionOptions, HoverProviderCapability, OneOf, RenameOptions,
    SemanticTokensFullOptions, SemanticTokensOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, Uri,
};
use nakiri::check::Analysis;
use serde::Serialize;
use serde_json::{json, Value};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// What comes of a request.
pub enum Answer {
    /// Its answer.
    Now(Response),
    /// It is about types, and this document is still being checked.
    Checked(Uri),
    /// It takes a while.
    Slow(Pace, Slow),
}

/// What the server can do.
pub fn initialized(encoding: Encoding) -> Value {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let triggers = [":", "@", "\"", "/"].map(str::to_string).to_vec();
    let tokens = SemanticTokensOptions {
        legend: tokens::legend(),
        full: Some(SemanticTokensFullOptions::Bool(true)),
        ..SemanticTokensOptions::default()
    };
    let capabilities = ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(true) }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(tokens.into()),
        ..ServerCapabilities::default()
    };
    let server = json!({ "name": "nakiri", "version": env!("CARGO_PKG_VERSION") });
    json!({ "capabilities": capabilities, "serverInfo": server })
}

impl State {
    /// Answers a request, or says what it waits for.
    pub fn answer(&self, asked: &Request) -> Answer {
        match asked.method.as_str() {
            request::HoverRequest::METHOD => self.hover(asked),
            request::CodeLensResolve::METHOD => self.price(asked),
            request::GotoDefinition::METHOD => {
                self.now::<request::GotoDefinition>(asked, navigation::definition)
            }
            request::References::METHOD => {
                self.now::<request::References>(asked, navigation::references)
            }
            request::DocumentHighlightRequest::METHOD => {
                self.now::<request::DocumentHighlightRequest>(asked, navigation::highlights)
            }
            request::PrepareRenameRequest::METHOD => {
                self.now::<request::PrepareRenameRequest>(asked, rename::prepare)
            }
            request::Rename::METHOD => self.rename(asked),
            request::Completion::METHOD => {
                self.now::<request::Completion>(asked, completion::items)
            }
            request::DocumentSymbolRequest::METHOD => {
                self.now::<request::DocumentSymbolRequest>(asked, outline::symbols)
            }
            request::Formatting::METHOD => self.now::<request::Formatting>(asked, format::edits),
            request::CodeLensRequest::METHOD => {
                self.now::<request::CodeLensRequest>(asked, lenses::lenses)
            }
            request::InlayHintRequest::METHOD => self.checked_first::<request::InlayHintRequest>(
                asked,
                |params| &params.text_document.uri,
                hints::hints,
            ),
            request::SemanticTokensFullRequest::METHOD => {
                self.now::<request::SemanticTokensFullRequest>(asked, tokens::tokens)
            }
            method => {
                let message = format!("there is no `{method}` here");
                let code = ErrorCode::MethodNotFound as i32;
                Answer::Now(Response::new_err(asked.id.clone(), code, message))
            }
        }
    }

    /// A request that is answered from the trees.
    fn now<R: Kind>(&self, asked: &Request, find: fn(&State, R::Params) -> R::Result) -> Answer {
        Answer::Now(match params::<R>(asked) {
            Ok(params) => found(&asked.id, || find(self, params)),
            Err(response) => response,
        })
    }

    /// A request that is answered once its document has been checked.
    fn checked_first<R: Kind>(
        &self,
        asked: &Request,
        uri: fn(&R::Params) -> &Uri,
        find: fn(&Document, &Analysis, R::Params) -> R::Result,
    ) -> Answer
    where
        R::Result: Default,
    {
        let params = match params::<R>(asked) {
            Ok(params) => params,
            Err(response) => return Answer::Now(response),
        };
        let Some(document) = self.document(uri(&params)) else {
            return Answer::Now(Response::new_ok(asked.id.clone(), R::Result::default()));
        };
        match document.analysis.clone() {
            Some(analysis) => Answer::Now(found(&asked.id, || find(document, &analysis, params))),
            None => Answer::Checked(document.uri.clone()),
        }
    }

    fn hover(&self, asked: &Request) -> Answer {
        let params = match params::<request::HoverRequest>(asked) {
            Ok(params) => params.text_document_position_params,
            Err(response) => return Answer::Now(response),
        };
        let Some(document) = self.document(&params.text_document.uri) else {
            return Answer::Now(Response::new_ok(asked.id.clone(), Value::Null));
        };
        let Some(analysis) = document.analysis.clone() else {
            return Answer::Checked(document.uri.clone());
        };
        let unit = document.unit.clone();
        slow(asked, Pace::Soon, document, move || hover::hover(&unit, &analysis, params.position))
    }

    /// What a lens costs: the only kind that is without a command at first.
    fn price(&self, asked: &Request) -> Answer {
        let lens = match params::<request::CodeLensResolve>(asked) {
            Ok(lens) => lens,
            Err(response) => return Answer::Now(response),
        };
        let priced = lenses::Priced::of(&lens);
        let document = priced.as_ref().and_then(|priced| self.document(&priced.uri));
        let (Some(priced), Some(document)) = (&priced, document) else {
            return Answer::Now(Response::new_ok(asked.id.clone(), lens));
        };
        let Some(analysis) = document.analysis.clone() else {
            return Answer::Checked(document.uri.clone());
        };
        let (name, prices) = (priced.name.clone(), self.prices.clone());
        slow(asked, Pace::Late, document, move || CodeLens {
            command: Some(prices.of(&analysis, &name)),
            data: None,
            ..lens
        })
    }

    fn rename(&self, asked: &Request) -> Answer {
        let params = match params::<request::Rename>(asked) {
            Ok(params) => params,
            Err(response) => return Answer::Now(response),
        };
        let refused =
            |message| Response::new_err(asked.id.clone(), ErrorCode::RequestFailed as i32, message);
        Answer::Now(caught(&asked.id, || match rename::edits(self, params) {
            Ok(edits) => Response::new_ok(asked.id.clone(), edits),
            Err(message) => refused(message),
        }))
    }
}

/// What is asked, or the answer that it can't be understood.
fn params<R: Kind>(asked: &Request) -> Result<R::Params, Response> {
    serde_json::from_value(asked.params.clone()).map_err(|error| {
        let code = ErrorCode::InvalidParams as i32;
        Response::new_err(asked.id.clone(), code, error.to_string())
    })
}

/// An answer that takes a while, unless there is a newer text of the document by then.
fn slow<T: Serialize>(
    asked: &Request,
    pace: Pace,
    document: &Document,
    find: impl FnOnce() -> T + Send + 'static,
) -> Answer {
    let (id, generation) = (asked.id.clone(), document.generation.clone());
    let find = move || match generation.is_stale() {
        true => {
            let code = ErrorCode::ContentModified as i32;
            Response::new_err(id, code, "there is a newer text".to_string())
        }
        false => found(&id, find),
    };
    Answer::Slow(pace, Box::new(find))
}

/// The answer to a question.
fn found<T: Serialize>(id: &RequestId, find: impl FnOnce() -> T) -> Response {
    caught(id, || Response::new_ok(id.clone(), find()))
}

/// An answer. If finding it panics, that is our bug, and the answer says so.
fn caught(id: &RequestId, find: impl FnOnce() -> Response) -> Response {
    catch_unwind(AssertUnwindSafe(find)).unwrap_or_else(|_| {
        let code = ErrorCode::InternalError as i32;
        Response::new_err(id.clone(), code, "internal error".to_string())
    })
}
