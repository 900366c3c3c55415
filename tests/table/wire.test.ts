import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { HttpRequest } from '@smithy/core/protocols'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HttpHandler } from '../../lib/table/wire/http-handler.ts'
import { answerIn, requestBody } from '../../lib/table/wire/messages.ts'

/** Of this the SDK makes no attribute. */
const name = fc.string({ unit: 'binary', minLength: 1 }).filter((it) => it !== '__proto__')

/** What an item may hold. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '"', '\\', '\\"', 'शिव मन्दिर "\\" ', '\u2028', '__proto__', ']}', '{"S":"x"}'),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
    fc.boolean(),
    fc.constant(null),
    fc.uint8Array(),
    fc.array(tie('value')),
    fc.dictionary(name, tie('value'), { noNullPrototype: true }),
  ),
}))
const item = fc.dictionary(name, value, { noNullPrototype: true })

/** The SDK's notation as it goes over the wire. */
const wire = (attributes: object) =>
  JSON.stringify(attributes, (_, it) => (it instanceof Uint8Array ? Buffer.from(it).toString('base64') : it))
const body = (text: string) => Buffer.from(text)

describe('the notation of the table', () => {
  it('is that of the SDK in requests', () => {
    fc.assert(
      fc.property(item, (Item) => {
        const own = JSON.parse(requestBody('PutItem', { TableName: 'one', Item }).toString())
        expect(own).toEqual({
          TableName: 'one',
          Item: JSON.parse(wire(marshall(Item, { removeUndefinedValues: true }))),
        })
      }),
    )
  })

  it('is read as the SDK reads it, in whatever order and with whatever blanks', () => {
    fc.assert(
      fc.property(item, fc.boolean(), (Item, isSpaced) => {
        const text = wire({ Item: marshall(Item), ConsumedCapacity: { CapacityUnits: 0.5, TableName: 'a "b"' } })
        const sent = isSpaced ? JSON.stringify(JSON.parse(text), null, 2) : text
        const read = answerIn(body(sent))
        expect(read.Item).toEqual(unmarshall(marshall(Item)))
        expect(read.ConsumedCapacity).toEqual({ CapacityUnits: 0.5, TableName: 'a "b"' })
      }),
    )
  })

  it('makes equal items alike, whatever their order', () => {
    const names = (text: string) => Object.keys(Object(answerIn(body(text)).Item))
    const first = names('{"Item":{"a":{"S":"1"},"b":{"N":"2"},"c":{"NULL":true}}}')
    expect(names('{"Item":{"c":{"NULL":true},"a":{"S":"1"},"b":{"N":"2"}}}')).toEqual(first)
  })

  it('keeps a member that has the name of something else', () => {
    const own = requestBody('PutItem', { Item: { links: JSON.parse('{"__proto__":"mine"}') } }).toString()
    expect(own).toContain('{"links":{"M":{"__proto__":{"S":"mine"}}}}')
    const { links } = Object(answerIn(body(own)).Item)
    expect(Object.entries(links)).toEqual([['__proto__', 'mine']])
  })

  it('knows sets, and numbers beyond what a number holds', () => {
    const text =
      '{"Item":{"s":{"SS":["a","b"]},"n":{"NS":["1","2"]},"b":{"BS":["AQI="]},"big":{"N":"9007199254740993"}}}'
    expect(answerIn(body(text)).Item).toEqual({
      s: new Set(['a', 'b']),
      n: new Set([1, 2]),
      b: new Set([new Uint8Array([1, 2])]),
      big: 9007199254740993n,
    })
  })

  it.each([
    [
      'a batch that was read',
      '{"Responses":{"t":[{"a":{"S":"x"}}]},"UnprocessedKeys":{"t":{"Keys":[{"pk":{"S":"p"}}],"ConsistentRead":true}}}',
      { Responses: { t: [{ a: 'x' }] }, UnprocessedKeys: { t: { Keys: [{ pk: 'p' }], ConsistentRead: true } } },
    ],
    [
      'a batch that was written',
      '{"UnprocessedItems":{"t":[{"PutRequest":{"Item":{"a":{"N":"1"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"p"}}}}]}}',
      { UnprocessedItems: { t: [{ PutRequest: { Item: { a: 1 } } }, { DeleteRequest: { Key: { pk: 'p' } } }] } },
    ],
    [
      'a transaction that was read',
      '{"Responses":[{"Item":{"a":{"BOOL":false}}},{}]}',
      { Responses: [{ Item: { a: false } }, {}] },
    ],
    [
      'a page',
      '{"Items":[],"Count":0,"LastEvaluatedKey":{"pk":{"S":"p"}}}',
      { Items: [], Count: 0, LastEvaluatedKey: { pk: 'p' } },
    ],
    ['nothing', '', {}],
  ])('reads %s', (_, text, read) => expect(answerIn(body(text))).toEqual(read))

  it.each([
    '{"Item":{"a":{"S":"x"}',
    '{"Item":{"a":{"X":"x"}}}',
    '{"Item":[]}',
    '{"Item":{"a":"x"}}',
    '{"Item":{"a":{"S":"x',
  ])('refuses %s', (text) => expect(() => answerIn(body(text))).toThrow(SyntaxError))

  it.each([
    ['no number', Number.NaN],
    ['a number without end', Number.POSITIVE_INFINITY],
    ['a number that would lose digits', 2 ** 60],
    ['an object of a class', new Date(0)],
  ])('refuses to store %s, as the SDK does', (_, it) => {
    expect(() => requestBody('PutItem', { Item: { it } })).toThrow()
    expect(() => marshall({ it })).toThrow()
  })

  it('gives a transaction one token, and keeps the one it has', () => {
    const token = (given: object) => JSON.parse(requestBody('TransactWriteItems', given).toString()).ClientRequestToken
    expect(token({ TransactItems: [] })).toMatch(/^[0-9a-f-]{36}$/)
    expect(token({ TransactItems: [], ClientRequestToken: 'mine' })).toBe('mine')
  })
})

describe('the sender', () => {
  const serve = async (answer: Parameters<typeof createServer>[1]) => {
    const server = createServer(answer)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const handler = new HttpHandler()
    const request = new HttpRequest({
      protocol: 'http:',
      hostname: '127.0.0.1',
      port,
      method: 'POST',
      path: '/',
      body: body('{}'),
    })
    const stop = () => {
      handler.destroy()
      server.closeAllConnections()
      server.close()
    }
    return { send: (options = {}) => handler.handle(request, options), stop }
  }

  it('answers with the whole body, over one connection', async () => {
    const ports = new Set<unknown>()
    const { send, stop } = await serve((asked, answer) => {
      ports.add(asked.socket.remotePort)
      answer.write('part one, ')
      setTimeout(() => answer.end('part two'), 5)
    })
    for (let n = 0; n < 3; n += 1)
      expect(Buffer.from((await send()).response.body).toString()).toBe('part one, part two')
    expect(ports.size).toBe(1)
    stop()
  })

  it('fails as the SDK tries again when the connection breaks, before the answer and in the middle of it', async () => {
    const broken = await serve((asked) => asked.socket.destroy())
    await expect(broken.send()).rejects.toMatchObject({ name: 'TimeoutError', code: 'ECONNRESET' })
    broken.stop()
    const torn = await serve((asked, answer) => {
      answer.writeHead(200, { 'content-length': '100' }).write('half')
      setTimeout(() => asked.socket.destroy(), 5)
    })
    await expect(torn.send()).rejects.toMatchObject({ name: 'TimeoutError', code: 'ECONNRESET' })
    torn.stop()
  })

  it('stops when it is told to', async () => {
    const { send, stop } = await serve(() => undefined)
    await expect(send({ abortSignal: AbortSignal.timeout(20) })).rejects.toMatchObject({ name: 'AbortError' })
    await expect(send({ abortSignal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    stop()
  })
})
