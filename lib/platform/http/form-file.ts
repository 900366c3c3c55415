import { malformedInput } from '../../base/errors.ts'

/** The boundary that the content type of a form names. Empty if there is none. */
export const boundaryOf = (type: string): string => /;\s*boundary="?([^";\s]+)/i.exec(type)?.[1] ?? ''

/** The most bytes of the head of one part of a form, or of its boundary. */
const MOST_HEAD = 8192

/**
 * Reads one file out of a multipart form while the form streams by, so a form of any size takes little memory. Gives the bytes of the first
 * member with one of these names, and none if there is no such member. The first line of a form is its boundary. Fails with `malformed`
 * if the form ends too early.
 */
export async function* fileInForm(form: AsyncIterable<Uint8Array>, names: readonly string[]): AsyncGenerator<Buffer> {
  let delimiter = Buffer.alloc(0)
  let rest: Buffer = Buffer.alloc(0)
  let state: 'start' | 'head' | 'inside' | 'outside' = 'start'
  for await (const block of form) {
    rest = Buffer.concat([rest, block])
    for (let goesOn = true; goesOn; ) {
      if (state === 'start') {
        const end = rest.indexOf('\r\n')
        if (end < 0 && rest.length > MOST_HEAD) throw unreadable()
        goesOn = end >= 0
        if (end < 0) continue
        const line = rest.subarray(0, end).toString('latin1')
        if (!/^--./.test(line)) throw unreadable()
        delimiter = Buffer.from(`\r\n${line}`, 'latin1')
        rest = rest.subarray(end)
        state = 'head'
      } else if (state === 'head') {
        if (rest.subarray(0, 2).toString() === '--') return
        const end = rest.indexOf('\r\n\r\n')
        if (end < 0 && rest.length > MOST_HEAD) throw unreadable()
        goesOn = end >= 0
        if (end < 0) continue
        state = names.includes(nameIn(rest.subarray(0, end))) ? 'inside' : 'outside'
        rest = rest.subarray(end + 4)
      } else {
        const at = rest.indexOf(delimiter)
        // The delimiter may come in two blocks.
        const passed = rest.subarray(0, at < 0 ? Math.max(0, rest.length - delimiter.length + 1) : at)
        if (state === 'inside' && passed.length > 0) yield passed
        if (state === 'inside' && at >= 0) return
        rest = rest.subarray(passed.length + (at < 0 ? 0 : delimiter.length))
        goesOn = at >= 0
        if (at >= 0) state = 'head'
      }
    }
  }
  throw unreadable()
}

const nameIn = (head: Buffer): string => /;\s*name="([^"]*)"/i.exec(head.toString('utf8'))?.[1] ?? ''
const unreadable = () => malformedInput('The multipart body cannot be read.')
