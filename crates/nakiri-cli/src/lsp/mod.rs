//! A language server: what editors ask about a source while it is written.
//!
//! One thread talks to the client. It reads a document anew at each change, which takes well under a millisecond, and answers from
//! the trees at once. A second thread checks programs; once a document changes again, what is being found out about its old text is
//! given up. Questions about types wait for the check of the text that they are about. Two more find answers that take a while, and those
//! that take longer.

mod answers;
mod messages;
mod place;
mod position;
mod requests;
mod state;
mod unit;
mod worker;

use crossbeam_channel::{select, unbounded, Receiver};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::{CancelParams, InitializeParams, NumberOrString, Uri};
use nakiri::syntax::Dialect;
use position::Encoding;
use requests::Answer;
use serde::de::DeserializeOwned;
use state::State;
use std::io;
use std::path::PathBuf;
use worker::{Event, Workers};

/// How the server was started.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where included files are looked for after the folder of the including file.
    pub include: Vec<PathBuf>,
    /// Which language the files are in.
    pub dialect: Dialect,
}

/// Serves a client until it says that it goes.
///
/// # Errors
/// That the client breaks the protocol, or is gone.
pub fn serve(connection: &Connection, settings: Settings) -> io::Result<()> {
    let broken = |error: lsp_server::ProtocolError| io::Error::other(error.to_string());
    let (id, params) = connection.initialize_start().map_err(broken)?;
    let client: InitializeParams = serde_json::from_value(params).unwrap_or_default();
    let known = client.capabilities.general.as_ref().and_then(|g| g.position_encodings.as_deref());
    let encoding = Encoding::of(known.unwrap_or_default());
    let told = requests::initialized(encoding);
    connection.initialize_finish(id, told).map_err(broken)?;

    let (sender, events) = unbounded();
    let workers = Workers::start(&sender)?;
    let state = State::new(settings, &client, encoding);
    let mut server = Server { connection, workers, state, waiting: Vec::new(), slow: Vec::new() };
    // Documents are read in this thread.
    let run = || server.run(&events).map_err(broken);
    std::thread::scope(|scope| match worker::deep().spawn_scoped(scope, run)?.join() {
        Ok(ended) => ended,
        Err(_) => Err(io::Error::other("internal error")),
    })
}

/// A request that waits for the check of a document.
struct Waiting {
    request: Request,
    uri: Uri,
}

struct Server<'c> {
    connection: &'c Connection,
    workers: Workers,
    state: State,
    waiting: Vec<Waiting>,
    /// The requests whose answers take a while, as long as they are wanted.
    slow: Vec<RequestId>,
}

impl Server<'_> {
    fn run(&mut self, events: &Receiver<Event>) -> Result<(), lsp_server::ProtocolError> {
        loop {
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if request.method == "shutdown" {
                            self.cancel(|_| true);
                        }
                        if self.connection.handle_shutdown(&request)? {
                            return Ok(());
                        }
                        self.asked(request);
                    }
                    Ok(Message::Notification(note)) => {
                        if note.method == notification::Exit::METHOD {
                            return Ok(());
                        }
                        self.told(note);
                    }
                    Ok(Message::Response(_)) => {}
                    Err(_) => return Ok(()),
                },
                recv(events) -> event => if let Ok(event) = event {
                    self.found(event);
                },
            }
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that is gone needs nothing.
        let _ = self.connection.sender.send(message.into());
    }

    // ---- requests ----

    fn asked(&mut self, request: Request) {
        match self.state.answer(&request) {
            Answer::Now(response) => self.send(response),
            Answer::Checked(uri) => self.waiting.push(Waiting { request, uri }),
            Answer::Slow(pace, find) => {
                self.slow.push(request.id);
                self.workers.find(pace, find);
            }
        }
    }

    /// Answers requests that nobody waits for any more.
    fn cancel(&mut self, is_cancelled: impl Fn(&RequestId) -> bool) {
        let waiting = self.waiting.extract_if(.., |waiting| is_cancelled(&waiting.request.id));
        let mut gone: Vec<RequestId> = waiting.map(|waiting| waiting.request.id).collect();
        gone.extend(self.slow.extract_if(.., |id| is_cancelled(id)));
        for id in gone {
            let code = ErrorCode::RequestCanceled as i32;
            self.send(Response::new_err(id, code, "cancelled".to_string()));
        }
    }

    /// Answers what has waited for a document's check.
    fn release(&mut self, uri: &Uri) {
        let released = self.waiting.extract_if(.., |waiting| waiting.uri == *uri);
        let released: Vec<Waiting> = released.collect();
        released.into_iter().for_each(|waiting| self.asked(waiting.request));
    }

    // ---- notifications ----

    fn told(&mut self, note: Notification) {
        match note.method.as_str() {
            notification::DidOpenTextDocument::METHOD => {
                let Some(note) = params::<notification::DidOpenTextDocument>(note) else { return };
                let document = note.text_document;
                self.state.open(document.uri.clone(), document.version, document.text);
                self.changed(&document.uri);
            }
            notification::DidChangeTextDocument::METHOD => {
                let Some(note) = params::<notification::DidChangeTextDocument>(note) else {
                    return;
                };
                let (uri, version) = (note.text_document.uri, note.text_document.version);
                self.state.change(&uri, version, note.content_changes);
                self.changed(&uri);
            }
            notification::DidCloseTextDocument::METHOD => {
                let Some(note) = params::<notification::DidCloseTextDocument>(note) else { return };
                let uri = note.text_document.uri;
                self.state.close(&uri);
                self.release(&uri);
                self.send(messages::none(&uri));
                self.changed(&uri);
            }
            notification::DidSaveTextDocument::METHOD => {
                let Some(note) = params::<notification::DidSaveTextDocument>(note) else { return };
                self.changed(&note.text_document.uri);
            }
            notification::DidChangeWatchedFiles::METHOD => {
                let Some(note) = params::<notification::DidChangeWatchedFiles>(note) else {
                    return;
                };
                note.changes.iter().for_each(|change| self.changed(&change.uri));
            }
            notification::Cancel::METHOD => {
                let Some(CancelParams { id }) = params::<notification::Cancel>(note) else {
                    return;
                };
                let id = match id {
                    NumberOrString::Number(number) => RequestId::from(number),
                    NumberOrString::String(text) => RequestId::from(text),
                };
                self.cancel(|own| *own == id);
            }
            _ => {}
        }
    }

    /// Has every program checked that a file is a part of.
    fn changed(&mut self, uri: &Uri) {
        for job in self.state.reread(uri) {
            // The thread ends with this one.
            let _ = self.workers.check.send(job);
        }
    }

    // ---- what the other threads find ----

    fn found(&mut self, event: Event) {
        match event {
            Event::Checked(uri, generation, analysis) => {
                let Some(messages) = self.state.checked(&uri, &generation, analysis) else {
                    return;
                };
                self.send(messages);
                self.release(&uri);
            }
            Event::Answered(response) => {
                let place = self.slow.iter().position(|id| *id == response.id);
                if place.map(|place| self.slow.swap_remove(place)).is_some() {
                    self.send(response);
                }
            }
        }
    }
}

/// What a notification says; nothing if it says nothing that can be understood.
fn params<N: notification::Notification>(note: Notification) -> Option<N::Params>
where
    N::Params: DeserializeOwned,
{
    serde_json::from_value(note.params).ok()
}
