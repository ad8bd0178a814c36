// The compiler for the page: threads that answer, of which one is ended when nobody waits for its answer any more.

let module;

/** Fetches the compiler; threads wait for it. */
export function load(address) {
  module = WebAssembly.compileStreaming(fetch(address));
  return module;
}

/** Nobody waits for this answer any more. */
export class Superseded extends Error {}

/** What the compiler says about why there is no answer. */
export class Refused extends Error {}

/** The compiler broke down. */
export class Died extends Error {}

/** A thread with the compiler, which answers the latest question. */
export class Thread {
  #worker;
  #number = 0;
  #waiting;
  #next;
  #patience;

  /** With patience a running question is let to its end before the latest is asked; without, it is ended. */
  constructor({ patience }) {
    this.#patience = patience;
    this.#start();
  }

  async #start() {
    const worker = new Worker(new URL("worker.js", import.meta.url));
    this.#worker = worker;
    let said = "";
    worker.onmessage = ({ data }) => {
      if (data.panic) {
        said = data.panic;
      } else {
        this.#answered(data, said);
      }
    };
    worker.onerror = (event) => this.#answered({ number: this.#waiting?.number, died: event.message }, said);
    try {
      worker.postMessage({ module: await module });
    } catch (error) {
      this.#answered({ number: this.#waiting?.number, died: `the compiler can't be loaded: ${error.message}` }, "");
    }
  }

  #restart() {
    this.#worker.terminate();
    this.#start();
  }

  #answered({ number, answer, refused, died }, said) {
    const waiting = this.#waiting;
    if (!waiting || waiting.number !== number) return;
    this.#waiting = undefined;
    if (died !== undefined) {
      this.#restart();
      waiting.reject(new Died(said || died));
    } else if (refused !== undefined) {
      waiting.reject(new Refused(refused));
    } else {
      waiting.resolve(answer);
    }
    this.#goOn();
  }

  #goOn() {
    const next = this.#next;
    this.#next = undefined;
    if (next) this.#send(next);
  }

  #send(asked) {
    asked.number = ++this.#number;
    this.#waiting = asked;
    // Behind the module, which the thread may still wait for.
    Promise.resolve(module).then(
      () => this.#waiting === asked && this.#worker.postMessage({ number: asked.number, question: asked.question }),
      () => this.#answered({ number: asked.number, died: "the compiler can't be loaded" }, ""),
    );
  }

  /** Asks; whoever asked before and still waits is told that this is over. */
  ask(question) {
    return new Promise((resolve, reject) => {
      const asked = { question, resolve, reject };
      this.#next?.reject(new Superseded());
      this.#next = undefined;
      if (!this.#waiting) {
        this.#send(asked);
      } else if (this.#patience) {
        this.#next = asked;
      } else {
        this.#waiting.reject(new Superseded());
        this.#waiting = undefined;
        this.#restart();
        this.#send(asked);
      }
    });
  }
}
