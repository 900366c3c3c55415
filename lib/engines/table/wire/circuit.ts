export type CircuitRules = {
  /** Calls in a row that must stay without a reply before the circuit opens. */
  silences: number
  /** Milliseconds until the next call is let through. */
  pauseMs: number
  /** The time in milliseconds. */
  now: () => number
}

/** How a call ended: with a reply, without one in its time, or by another failure. */
export type Ending = 'heard' | 'silent' | 'failed'

/**
 * Stops calls to a server that is silent, so that they fail at once instead of waiting. It opens after some calls in a row without a
 * reply. After a pause it lets one call through: a reply closes it, anything else begins the next pause.
 */
export class Circuit {
  readonly #rules: CircuitRules
  #inARow = 0
  #closedUntil = 0
  #isTrying = false

  constructor(rules: CircuitRules) {
    this.#rules = rules
  }

  /** Whether a call may be made now. If so, its caller must report its end by `end`. */
  begin(): boolean {
    if (this.#inARow < this.#rules.silences) return true
    if (this.#isTrying || this.#rules.now() < this.#closedUntil) return false
    this.#isTrying = true
    return true
  }

  end(ending: Ending): void {
    this.#isTrying = false
    if (ending === 'heard') this.#inARow = 0
    if (ending === 'silent') this.#inARow += 1
    if (ending !== 'heard') this.#closedUntil = this.#rules.now() + this.#rules.pauseMs
  }
}
