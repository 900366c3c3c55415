import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import { Sha256 } from '@smithy/core/checksum'
import { HttpRequest } from '@smithy/core/protocols'
import { SignatureV4 } from '@smithy/signature-v4'
import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { HttpHandler } from '../../../lib/engines/table/wire/http-handler.ts'
import { lean } from '../../../lib/engines/table/wire/lean.ts'
import { answerIn, requestBody } from '../../../lib/engines/table/wire/messages.ts'
import { macOf, signerIn } from '../../../lib/engines/table/wire/signature.ts'

/** Of the others the SDK makes no attribute, or takes what has them for an object of a class. */
const name = fc.string({ unit: 'binary', minLength: 1 }).filter((it) => !['__proto__', 'constructor'].includes(it))

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
        const own = JSON.parse(requestBody({ TableName: 'one', Item }))
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
    const own = requestBody({ Item: { links: JSON.parse('{"__proto__":"mine"}') } })
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
    expect(() => requestBody({ Item: { it } })).toThrow()
    expect(() => marshall({ it })).toThrow()
  })
})

describe('the signature', () => {
  const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret' }
  const asked = (text: string) =>
    new HttpRequest({
      method: 'POST',
      path: '/',
      body: text,
      headers: {
        host: 'dynamodb.ap-south-1.amazonaws.com',
        'content-type': 'application/x-amz-json-1.0',
        'content-length': String(Buffer.byteLength(text)),
        'x-amz-target': 'DynamoDB_20120810.GetItem',
      },
    })

  it.each([
    ['without a session', undefined, '{}', '2026-01-02T03:04:05.678Z'],
    ['with a session', 'token', '{"a":"शिव"}', '2026-01-02T03:04:05.678Z'],
    ['on another day', 'token', '{"a":"शिव"}', '2026-12-31T23:59:59.999Z'],
    ['again on the first day', undefined, '{}', '2026-01-02T23:00:00.000Z'],
  ])('is that of the SDK %s', async (_, sessionToken, text, time) => {
    const by = { ...credentials, ...(sessionToken !== undefined && { sessionToken }) }
    const theirs = new SignatureV4({
      credentials: by,
      region: 'ap-south-1',
      service: 'dynamodb',
      sha256: Sha256,
      applyChecksum: false,
    })
    const { headers } = await theirs.sign(asked(text), { signingDate: new Date(time) })
    const own = sign(asked(text), by, new Date(time))
    expect(own).toEqual(headers)
  })
  const sign = signerIn('ap-south-1')

  it.each([0, 5, 64, 65, 200])('takes a key of %d bytes as HMAC does', (length) => {
    const key = new Uint8Array(length).fill(7)
    expect(macOf(key)('one शिव')).toEqual(createHmac('sha256', key).update('one शिव').digest())
  })
})

describe('a call', () => {
  type Reply = { status: number; body?: object; headers?: Record<string, string> }
  type Answer = Reply | 'torn'
  /** A client of a table that answers so, one after the other, and what it was asked. */
  async function clientOf(answers: Answer[]) {
    const asked: { body: string; authorization: string }[] = []
    const server = createServer(async (request, reply) => {
      const text = Buffer.concat(await Array.fromAsync(request)).toString()
      asked.push({ body: text, authorization: request.headers.authorization ?? '' })
      const answer = answers.shift() ?? { status: 200, body: {} }
      if (answer === 'torn') request.socket.destroy()
      else reply.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body ?? {}))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const client = new DynamoDBClient({
      region: 'us-east-1',
      maxAttempts: 3,
      requestHandler: new HttpHandler({ silenceMs: 30_000 }),
      endpoint: `http://127.0.0.1:${port}`,
      credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret' },
    })
    const db = lean(client, DynamoDBDocumentClient.from(client), (_, input, call) => call(input))
    const stop = () => {
      client.destroy()
      server.closeAllConnections()
      server.close()
    }
    return { db, asked, stop }
  }
  const failed = (name: string): Reply => ({
    status: 400,
    body: { __type: `com.amazonaws.dynamodb.v20120810#${name}` },
  })
  const get = new GetCommand({ TableName: 'one', Key: { pk: 'a', sk: 'b' } })
  const found: Answer = { status: 200, body: { Item: { pk: { S: 'a' } } } }

  it('that succeeds is made once', async () => {
    const { db, asked, stop } = await clientOf([found])
    const { Item, $metadata } = await db.send(get)
    expect([Item, $metadata.attempts, asked.length]).toEqual([{ pk: 'a' }, 1, 1])
    stop()
  })

  it.each<[string, Answer]>([
    ['the table fails', { status: 500, body: { __type: 'InternalServerError' } }],
    ['the table is throttled', failed('ProvisionedThroughputExceededException')],
    ['the connection breaks', 'torn'],
  ])('is made again when %s, as it was, and as often as the SDK does', async (_, answer) => {
    const once = await clientOf([answer, found])
    const { Item, $metadata } = await once.db.send(get)
    expect([Item, $metadata.attempts]).toEqual([{ pk: 'a' }, 2])
    expect(once.asked.map(({ body }) => body)).toEqual([once.asked[0]?.body, once.asked[0]?.body])
    once.stop()
    const always = await clientOf([answer, answer, answer, found])
    await expect(always.db.send(get)).rejects.toMatchObject({ $metadata: { attempts: 3 } })
    expect(always.asked).toHaveLength(3)
    always.stop()
  })

  it('keeps the token of a transaction when it is made again', async () => {
    const { db, asked, stop } = await clientOf(['torn'])
    const TransactItems = [{ Delete: { TableName: 'one', Key: { pk: 'a' } } }]
    await db.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: 'mine' }))
    expect(asked.map(({ body }) => JSON.parse(body).ClientRequestToken)).toEqual(['mine', 'mine'])
    stop()
  })

  it('that is refused fails as the SDK says, once', async () => {
    const { db, asked, stop } = await clientOf([failed('ConditionalCheckFailedException')])
    await expect(db.send(get)).rejects.toBeInstanceOf(ConditionalCheckFailedException)
    expect(asked).toHaveLength(1)
    stop()
  })

  it('is signed by the time of the table once that has refused ours', async () => {
    const date = 'Fri, 01 Jan 2027 00:00:00 GMT'
    const skewed: Answer = { ...failed('RequestTimeTooSkewed'), headers: { date } }
    const right = { status: 200, body: {}, headers: { date } }
    const { db, asked, stop } = await clientOf([skewed, right, right])
    await db.send(get)
    await db.send(get)
    const days = asked.map(({ authorization }) => /\/(\d{8})\//.exec(authorization)?.[1])
    expect(days.slice(1)).toEqual(['20270101', '20270101'])
    stop()
  })

  it('goes through whatever was put into the stack, and stops when it is told to', async () => {
    const { db, asked, stop } = await clientOf([])
    const seen: unknown[] = []
    const note = (next: (args: object) => Promise<never>) => (args: object) => {
      seen.push(args)
      return next(args)
    }
    db.middlewareStack.add(note as never, { step: 'finalizeRequest', name: 'note' })
    await db.send(get)
    db.middlewareStack.remove('note')
    await db.send(get)
    expect([seen.length, asked.length]).toEqual([1, 2])
    await expect(db.send(get, { abortSignal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    stop()
  })
})

describe('the sender', () => {
  const serve = async (
    answer: Parameters<typeof createServer>[1],
    times: ConstructorParameters<typeof HttpHandler>[0] = { silenceMs: 30_000 },
  ) => {
    const server = createServer(answer)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const handler = new HttpHandler(times)
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

  it('does not wait for a reply that stays out, and after two such asks nobody for a while', async () => {
    let asked = 0
    const silentOnes = 2
    const { send, stop } = await serve(
      (_, answer) => {
        asked += 1
        if (asked > silentOnes) answer.end('{}')
      },
      { silenceMs: 50, pauseMs: 200 },
    )
    const silent = { name: 'TimeoutError', code: 'ETIMEDOUT' }
    await expect(send()).rejects.toMatchObject(silent)
    await expect(send()).rejects.toMatchObject(silent)
    const refused = await Promise.allSettled(Array.from({ length: 20 }, () => send()))
    expect(refused.map((it) => it.status === 'rejected' && it.reason.code)).toEqual(refused.map(() => 'ESILENT'))
    expect(asked).toBe(2)
    await vi.waitFor(async () => expect((await send()).response.statusCode).toBe(200), 5000)
    expect(asked).toBe(3)
    stop()
  })

  it('waits for a reply that comes bit by bit, and reads what came while this process was busy', async () => {
    // Longer than a silence may last, with a bit each tenth of that time.
    const { send, stop } = await serve(
      async (_, answer) => {
        for (const bit of 'abbbbbbbbbbbb') {
          answer.write(bit)
          await sleep(100)
        }
        answer.end()
      },
      { silenceMs: 1000 },
    )
    expect(Buffer.from((await send()).response.body).toString()).toBe('abbbbbbbbbbbb')
    stop()
    // The server is in this process: its answer is written first, then nobody reads it for longer than a silence may last.
    const busy = await serve((_, answer) => answer.end('{}', () => workFor(700)), { silenceMs: 500 })
    expect((await busy.send()).response.statusCode).toBe(200)
    busy.stop()
  })
})

/** Keeps this process busy for so many milliseconds. */
function workFor(milliseconds: number): void {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}
