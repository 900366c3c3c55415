import type { Answer } from './speaker.ts'

/** Visitors who ask one question after another. `bad` holds each answer of 5xx, 401 or 409; `leave` ends their visit. */
export type Visitors = { good: number; bad: string[]; leave: () => Promise<void> }

/** Lets one visitor come for each question. They ask until they leave. */
export function visitorsCome(questions: readonly (() => Promise<Answer>)[]): Visitors {
  let isOver = false
  const visitors: Visitors = { good: 0, bad: [], leave: async () => undefined }
  const visit = async (ask: () => Promise<Answer>) => {
    while (!isOver) {
      const { status, text } = await ask()
      if (status >= 500 || status === 401 || status === 409) visitors.bad.push(`${status} ${text.slice(0, 100)}`)
      else visitors.good += 1
    }
  }
  const all = Promise.all(questions.map(visit))
  // Whoever leaves hears of it.
  all.catch(() => undefined)
  visitors.leave = async () => {
    isOver = true
    await all
  }
  return visitors
}
