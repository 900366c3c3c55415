import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { fileInForm } from '../../../lib/platform/http/form-file.ts'

/** A form as a client sends it. */
const sent = async (members: Readonly<Record<string, string | File>>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) form.append(name, value)
  return Buffer.from(await new Response(form).arrayBuffer())
}

async function* inBlocks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const read = async (form: Buffer, size = 64 * 1024) => {
  const blocks: Buffer[] = []
  for await (const block of fileInForm(inBlocks(form, size), ['chunk', 'file'])) blocks.push(Buffer.from(block))
  return Buffer.concat(blocks)
}

const fileOf = (bytes: Uint8Array, name = 'part.bin') => new File([new Uint8Array(bytes)], name)

describe('the file in a form', () => {
  const bytes = Buffer.concat([randomBytes(300), Buffer.from('\r\n--\r\n\r\n------'), randomBytes(100)])

  test.each([1, 2, 7, 64, 1000])('is read from blocks of %i bytes, whatever stands beside it', async (size) => {
    expect((await read(await sent({ chunk: fileOf(bytes) }), size)).equals(bytes)).toBe(true)
    const beside = { offset: '12', chunk: fileOf(bytes, 'पृष्ठ "१".bin'), more: 'x' }
    expect((await read(await sent(beside), size)).equals(bytes)).toBe(true)
    expect((await read(await sent({ file: fileOf(Buffer.alloc(0)) }), size)).length).toBe(0)
  })

  test('is nothing in a form without it', async () => {
    expect((await read(await sent({ other: fileOf(bytes) }))).length).toBe(0)
  })

  test.each([
    ['a form that is cut short', async () => (await sent({ chunk: fileOf(bytes) })).subarray(0, 400)],
    ['no form', async () => Buffer.from('Not a form.\r\n')],
    ['a line without an end', async () => Buffer.alloc(10_000, 'a')],
    ['a head without an end', async () => Buffer.from(`--x\r\n${'a'.repeat(10_000)}`)],
    ['nothing', async () => Buffer.alloc(0)],
  ])('is refused in %s', async (_, make) => {
    await expect(read(await make())).rejects.toThrow('The multipart body cannot be read.')
  })
})
