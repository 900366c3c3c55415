import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Context, DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda'
import { loadFollowers, loadProjector } from '../../../local/service/followers.ts'
import {
  type Actor,
  APART_MS,
  apart,
  current,
  ending,
  type Fault,
  Gone,
  type Letter,
  MOST_BATCHES,
  PATIENCE,
  PROCESSES,
  type Reply,
  type Sending,
  SHARDS,
  type Wire,
  WORKERS,
  WRITES,
} from './actors.ts'
import { Bucket } from './bucket.ts'
import type { Snapshot } from './cells.ts'
import { type Dice, dice } from './chance.ts'
import type { Item } from './expressions.ts'
import { type Asked, overtake } from './overtaken.ts'
import { cameBy, forget, moduleIn } from './processes.ts'
import { behind, type Lock, locked, patient } from './switches.ts'
import { type Change, hash, Refused, type Steps, strict, Table } from './table.ts'
import { BASE, inSimulation, Time } from './time.ts'
import { bytesOf, json, textOf } from './wire.ts'

export { type Actor, type Called, type Fault, Gone, type Letter, PATIENCE, WORKERS, WRITES } from './actors.ts'

type Saved = {
  table: Snapshot
  bucket: Bucket['objects']
  now: number
  sequence: number
  requests: number
  later: World['later']
  received: World['received']
  letters: World['letters']
  shards: World['shards']
  heard: ReadonlyMap<string, number>
}

/** What a call fails with only at the moment. */
const PASSING = /^(throttled|conflict)/

/** A number that only rises: until when the projector has taken in changes. */
const isFallen = ({ key, before, after }: Change) =>
  key.pk === 'PROJECTOR' && key.sk === 'HEAD' && Number(after?.n?.N) < Number(before?.n?.N)

/** What a call does, which may depend on how it goes wrong. */
type Make = (fault: Fault | undefined) => Steps

class World {
  time = new Time()
  table = new Table()
  bucket = new Bucket()
  chance: Dice = dice(1)
  /** How long the SDK waits before it tries again; apart, so that no other chance depends on it. */
  waits: Dice = dice(1)
  shards: DynamoDBRecord[][] = Array.from({ length: SHARDS }, () => [])
  /** Calls of functions that nobody waits for. */
  later: { name: string; event: unknown }[] = []
  /** What receivers of hooks were sent. */
  received: { id: string; url: string; body: string; signature: string | undefined }[] = []
  /** The letters that the mail service has taken. */
  letters: Letter[] = []
  /** What was still under way when who had begun it answered: the platform stops a process then, and it may never be done. */
  unfinished: string[] = []
  /** What calls take, in milliseconds, and whether the table's freedoms are used. */
  hostile = false
  calls = 0
  /** How many requests there were: each has a number of its own, which is stored with what it changes. */
  requests = 0
  /** Of all that was asked and answered since the world was as it was saved. */
  digest = 0
  /** Where processes keep files. */
  readonly directory = mkdtempSync(join(tmpdir(), 'prove-'))
  #sequence = 0

  now = (): Date => new Date(this.time.date())

  /** As it was saved, with empty processes, under another seed. */
  restore(saved: Saved, seed: number): void {
    this.time.clear()
    this.#heard = new Map(saved.heard)
    this.time.now = saved.now
    this.digest = 0
    this.requests = saved.requests
    this.table.calm()
    this.table.cells.restore(saved.table)
    this.bucket.objects = new Map(saved.bucket)
    this.later = [...saved.later]
    this.received = [...saved.received]
    this.letters = [...saved.letters]
    this.unfinished = []
    this.#alone.clear()
    this.shards = saved.shards.map((records) => [...records])
    this.#sequence = saved.sequence
    this.seed(seed)
    for (const process of PROCESSES) forget(process)
    for (const name of readdirSync(this.directory)) rmSync(join(this.directory, name), { recursive: true, force: true })
  }

  save(): Saved {
    return {
      table: this.table.cells.snapshot(),
      bucket: new Map(this.bucket.objects),
      now: this.time.now,
      sequence: this.#sequence,
      requests: this.requests,
      later: [...this.later],
      received: [...this.received],
      letters: [...this.letters],
      shards: this.shards.map((records) => [...records]),
      heard: new Map(this.#heard),
    }
  }

  /** What chance does from here on. In a hostile world reads lag and are torn, batches are taken in part. */
  seed(seed: number, hostile = false): void {
    this.chance = dice(seed)
    this.waits = dice(seed)
    this.hostile = hostile
    const { chance } = this
    this.table.chance = hostile
      ? {
          lag: () => (chance.happens(0.5) ? chance.below(40) : chance.below(1500)),
          torn: () => chance.happens(0.4),
          taken: (many) => (chance.happens(0.05) ? chance.below(many + 1) : many),
          below: (limit) => chance.below(Math.max(1, limit)),
        }
      : strict
  }

  /** Takes note of something that depends on all that was before. */
  noteThat(text: string): void {
    this.digest = (Math.imul(this.digest, 16777619) ^ hash(`${this.time.now} ${text}`)) | 0
  }

  latency(actor: Actor): number {
    if (apart.getStore()) return APART_MS
    if (!this.hostile) return 1
    const { chance } = this
    const some = chance.happens(0.06) ? chance.below(400) : 1 + chance.below(12)
    return some * actor.slow
  }

  tell = (change: Change): void => {
    const { key, before, after, at, expired } = change
    if (isFallen(change)) this.unfinished.push('what the projector has taken in already waits for it again')
    this.#sequence += 1
    const shard = this.shards[hash(key.pk) % SHARDS]
    shard?.push({
      eventID: `event-${this.#sequence}`,
      eventName: !before ? 'INSERT' : after ? 'MODIFY' : 'REMOVE',
      eventSource: 'aws:dynamodb',
      ...(expired && { userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' } }),
      dynamodb: {
        ApproximateCreationDateTime: Math.floor((BASE + at) / 1000),
        Keys: { pk: { S: key.pk }, sk: { S: key.sk } },
        SequenceNumber: String(this.#sequence).padStart(12, '0'),
        StreamViewType: 'NEW_AND_OLD_IMAGES',
        ...(before && { OldImage: before as never }),
        ...(after && { NewImage: after as never }),
      },
    })
  }

  /** A call that goes over the wire, with what becomes of it. */
  async exchange(command: string, headers: Record<string, string>, make: Make): Promise<unknown> {
    const actor = current.getStore()
    if (!actor) throw new Error(`${command} outside of every actor`)
    if (actor.dead) return never
    this.calls += 1
    const invocation = headers['amz-sdk-invocation-id'] ?? `${actor.calls}`
    const known = actor.invocations.get(invocation)
    const n = known ?? actor.calls++
    if (known === undefined) actor.commands.push(command)
    if (WRITES.test(command)) for (const mark of actor.marks) cameBy.add(mark)
    actor.invocations.set(invocation, n)
    const lock = WRITES.test(command) ? locked.getStore() : undefined
    if (lock && !this.#isHeld(lock)) this.unfinished.push(`${command} was made when ${lock.pk} was given back already`)
    const attempt = Number(/attempt=(\d+)/.exec(headers['amz-sdk-request'] ?? '')?.[1] ?? 1)
    const fault = actor.fault?.({ n, command, attempt, behind: behind.getStore() })
    if (fault && PASSING.test(fault) && patient.getStore()) actor.passing = `${command} ${fault}`
    return this.#withFault(actor, command, fault, make)
  }

  /** Whoever fails gives up what would have passed. */
  noteImpatience({ name, passing, dead }: Actor): void {
    if (passing && !dead) this.unfinished.push(`${name} failed and had not waited: ${passing}`)
  }

  /** Who is at what is done by one at a time, by the lock that keeps others off. */
  #alone = new Map<string, Actor>()

  /** Work that is done while a lock keeps others off: two who are at it are one too many. */
  guarded =
    <T>(lock: Lock, work: () => Promise<T>) =>
    async (): Promise<T> => {
      const [actor, other] = [current.getStore(), this.#alone.get(lock.pk)]
      if (other && !other.dead)
        this.unfinished.push(`${actor?.name} and ${other.name} are both at work under ${lock.pk}`)
      if (actor) this.#alone.set(lock.pk, actor)
      try {
        return await locked.run(lock, work)
      } finally {
        if (this.#alone.get(lock.pk) === actor) this.#alone.delete(lock.pk)
      }
    }

  /** Whether a lock keeps others off, or has run out by itself; what is given back is over at once. */
  #isHeld(lock: Parameters<World['table']['cells']['get']>[0]): boolean {
    const it = this.table.cells.get(lock)
    return it !== undefined && it.expires_at?.N !== '0'
  }

  async #withFault(actor: Actor, command: string, fault: Fault | undefined, make: Make): Promise<unknown> {
    const wait = (milliseconds: number) => new Promise<void>((done) => void this.time.after(milliseconds, done))
    const work = async (delay = 0) => {
      const steps = make(fault)
      let answer: unknown
      for (const [i, step] of steps.entries()) {
        await wait(this.latency(actor) + (i === 0 ? delay : 0))
        // Of what nobody has waited for it is not sure that it was ever sent.
        if (actor.over && i === 0 && (!this.hostile || this.chance.happens(0.5))) return never
        answer = step(this.time.now)
      }
      return answer
    }
    const kill = () => {
      actor.dead = true
      // Nothing of its memory is left to whoever starts in its place.
      forget(actor.process)
      actor.die()
      return never
    }
    switch (fault) {
      case 'gone before':
        return kill()
      case 'gone after':
        await work().catch(() => undefined)
        return kill()
      case 'late':
        // The call is under way for longer than the process may live, and still does what it does.
        void work(PATIENCE + 11_000).catch(() => undefined)
        return kill()
      case 'refused':
      case 'failed once':
        await wait(this.latency(actor))
        throw new Refused('InternalServerError', 'the service has failed')
      case 'throttled':
      case 'throttled once':
        await wait(this.latency(actor))
        throw new Refused('ProvisionedThroughputExceededException', 'throttled')
      case 'malformed':
        throw new Refused('ValidationException', 'the table cannot take it')
      case 'conflict':
      case 'conflicts':
        await wait(this.latency(actor))
        if (command !== 'TransactWriteItems') throw new Refused('TransactionConflictException', 'conflict')
        throw new Refused('TransactionCanceledException', 'cancelled [TransactionConflict]', {
          CancellationReasons: [{ Code: 'TransactionConflict' }],
        })
      case 'reply lost':
      case 'reply lost once':
        await work()
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', name: 'TimeoutError' })
      default: {
        const answer = await work()
        if (this.hostile) await wait(this.latency(actor))
        return actor.dead ? never : answer
      }
    }
  }

  /** A call from its beginning to its end, with all that the SDK tries again. */
  async whole<T>(command: string, call: () => Promise<T>): Promise<T> {
    const actor = current.getStore()
    if (!actor) return call()
    actor.underWay.push(command)
    let isOver = false
    const over = () => {
      if (!isOver) actor.underWay.splice(actor.underWay.indexOf(command), 1)
      isOver = true
    }
    try {
      return await ending.run(over, call)
    } finally {
      over()
    }
  }

  /** An attempt of a call ends with the signal that it was given, and so does the call, as with real clients: no other attempt is sent. */
  async upTo<T>(signal: AbortSignal | undefined, attempt: () => Promise<T>): Promise<T> {
    if (!signal) return attempt()
    const over = ending.getStore()
    const { promise, reject } = Promise.withResolvers<never>()
    const stop = () => {
      over?.()
      reject(Object.assign(new Error('Request aborted'), { name: 'AbortError' }))
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    return signal.aborted ? promise : Promise.race([promise, attempt()])
  }

  dynamo = async (request: Wire): Promise<Reply> => {
    const command = (request.headers['x-amz-target'] ?? '').replace(/^.*\./, '')
    try {
      const text = textOf(request.body)
      this.noteThat(`${command} ${text}`)
      const input: Asked = JSON.parse(text)
      const fault = current.getStore()?.fault
      const next = { n: current.getStore()?.calls ?? 0, command, attempt: 0, behind: behind.getStore() }
      const partial = fault?.(next) === 'partial batch'
      const answer = await this.exchange(command, request.headers, (how) => {
        if (how === 'overtaken') overtake(this.table, input, this.time.now)
        const { chance } = this.table
        if (partial) this.table.chance = { ...chance, taken: (many) => Math.floor(many / 2) }
        try {
          return this.table.steps(command, input)
        } finally {
          this.table.chance = chance
        }
      })
      return json(200, answer)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const type = `com.amazonaws.dynamodb.v20120810#${error.type}`
      return json(error.type === 'InternalServerError' ? 500 : 400, {
        __type: type,
        message: error.message,
        Message: error.message,
        ...error.members,
      })
    }
  }

  s3 = async (request: Wire): Promise<Reply> => {
    const body =
      Buffer.isBuffer(request.body) || request.body instanceof Uint8Array
        ? Buffer.from(request.body)
        : await bytesOf(request.body)
    const command = `S3 ${request.method}`
    try {
      const answer = await this.exchange(command, request.headers, () => [
        () => this.bucket.answer({ ...request, query: request.query ?? {} }, body, this.now()),
      ])
      const told = answer as ReturnType<Bucket['answer']>
      return { ...told, body: Readable.from(told.body.length > 0 ? [told.body] : []) }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const status = error.type === 'InternalServerError' ? 500 : 503
      const text = `<Error><Code>${status === 500 ? 'InternalError' : 'SlowDown'}</Code><Message>failed</Message></Error>`
      return {
        statusCode: status,
        headers: { 'content-type': 'application/xml' },
        body: Readable.from([Buffer.from(text)]),
      }
    }
  }

  lambda = async (request: Wire): Promise<Reply> => {
    const name = /functions\/([^/]+)\/invocations/.exec(request.path)?.[1] ?? ''
    const event: unknown = JSON.parse(textOf(request.body) || '{}')
    const later = request.headers['x-amz-invocation-type'] === 'Event'
    try {
      await this.exchange(`Invoke ${name}`, request.headers, () => [
        () => {
          if (later) this.later.push({ name, event })
          else throw new Error(`the simulated world waits for no function: ${name}`)
        },
      ])
      return { statusCode: 202, headers: {}, body: Buffer.alloc(0) }
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return json(500, { message: error.message })
    }
  }

  /** A letter that is given to the mail service. */
  ses = async (request: Wire): Promise<Reply> => {
    const text = textOf(request.body)
    this.noteThat(`SendEmail ${text}`)
    const { Destination, Content }: Sending = JSON.parse(text)
    const { Subject, Body, Headers } = Content.Simple
    const letter = {
      to: Destination.ToAddresses[0],
      subject: Subject.Data,
      text: Body.Text.Data,
      headers: Object.fromEntries(Headers.map(({ Name, Value }) => [Name, Value])),
    }
    try {
      await this.exchange('HTTP SendEmail', request.headers, () => [
        () => this.letters.push({ ...letter, items: this.items() }),
      ])
      return json(200, { MessageId: `letter-${this.letters.length}` })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return json(error.type === 'InternalServerError' ? 500 : 429, { message: error.message })
    }
  }

  /** A message to a receiver; whoever has it already can tell by its id. Answers the status. */
  web = async (url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> => {
    const received = { id: headers['x-delivery-id'] ?? '', url, body, signature: headers['x-signature'] }
    await this.whole('HTTP POST', () => this.exchange('HTTP POST', {}, () => [() => this.received.push(received)]))
    return 200
  }

  /** Lets somebody do something in a process, in simulated time. Fails with `Gone` when the process ends meanwhile. */
  start<T>(
    given: { name: string; process: number; slow?: number; fault?: Actor['fault'] },
    work: (actor: Actor) => Promise<T>,
  ): Promise<T> {
    const { promise: died, reject } = Promise.withResolvers<never>()
    died.catch(() => undefined)
    const actor: Actor = {
      slow: 1,
      ...given,
      calls: 0,
      commands: [],
      invocations: new Map(),
      dead: false,
      underWay: [],
      marks: new Set(),
      over: false,
      die: () => reject(new Gone()),
      died,
    }
    const ended = async () => {
      try {
        return await work(actor)
      } catch (error) {
        this.noteImpatience(actor)
        throw error
      } finally {
        if (!actor.dead)
          for (const command of actor.underWay)
            this.unfinished.push(`${command} was under way when ${given.name} answered`)
        actor.dead = true
        actor.over = true
      }
    }
    return inSimulation(() => current.run(actor, () => Promise.race([ended(), died])))
  }

  /** The same, and time passes until it is done. */
  run<T>(given: Parameters<World['start']>[0], work: (actor: Actor) => Promise<T>): Promise<T> {
    return this.time.until(this.start(given, work))
  }

  /** Starts a function that time starts; time does not pass by itself. Answers how it is waited for. */
  async started(
    name: string,
    event: unknown = undefined,
    fault?: Actor['fault'],
    process = WORKERS,
  ): Promise<{ ended: Promise<unknown> }> {
    const { handler }: { handler: (event: unknown, context: Context) => Promise<unknown> } = await moduleIn(
      process,
      `functions/${name}.ts`,
    )
    const context = { functionName: name, awsRequestId: 'call', getRemainingTimeInMillis: () => 300_000 } as Context
    return { ended: this.start({ name, process, fault }, () => handler(event, context)) }
  }

  /** Runs a function that time starts, to its end. */
  async function(...given: Parameters<World['started']>): Promise<unknown> {
    const { ended } = await this.started(...given)
    return this.time.until(ended)
  }

  readonly #followers = [loadProjector(), ...loadFollowers()]
  /** How far each follower has come in each shard. */
  #heard = new Map<string, number>()

  /** Hands one batch of one shard to one follower. Answers whether there was any. */
  async deliver(fault?: Actor['fault'], process = WORKERS): Promise<boolean> {
    const waiting = this.#followers.flatMap((follower) =>
      this.shards.flatMap((records, shard) => {
        const at = `${follower.name} ${shard}`
        let from = this.#heard.get(at) ?? 0
        for (let next = records[from]; next && !follower.wants(next); next = records[from]) from += 1
        this.#heard.set(at, from)
        return from < records.length ? [{ follower, records, shard }] : []
      }),
    )
    if (waiting.length === 0) return false
    const { follower, records, shard } = this.hostile
      ? this.chance.pick(waiting)
      : (waiting[0] ?? { follower: this.#followers[0] ?? raise(), records: [], shard: 0 })
    const at = `${follower.name} ${shard}`
    const from = this.#heard.get(at) ?? 0
    const size = this.hostile ? 1 + this.chance.below(100) : follower.batchSize
    const batch = records.slice(from, from + size)
    const wanted = batch.filter(follower.wants)
    // Heard again from somewhere before: a batch whose end was not noted.
    const again = this.hostile && this.chance.happens(0.3)
    const failed = wanted.length === 0 ? '' : await this.#handed(follower.name, wanted, fault, process)
    const through =
      failed === '' ? batch.length : batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === failed)
    if (!again) this.#heard.set(at, from + Math.max(0, through))
    return true
  }

  /** Where a batch failed; nothing where it did not. */
  async #handed(name: string, Records: DynamoDBRecord[], fault: Actor['fault'], process: number): Promise<string> {
    const { handler } = await moduleIn(process, `functions/${name}.ts`)
    const context = { functionName: name, awsRequestId: 'call' } as Context
    try {
      const answer: DynamoDBBatchResponse = await this.start({ name, process, fault }, () =>
        handler({ Records }, context),
      )
      return answer.batchItemFailures[0]?.itemIdentifier ?? ''
    } catch {
      return Records[0]?.dynamodb?.SequenceNumber ?? ''
    }
  }

  forgetStream(): void {
    this.#heard = new Map()
    this.shards = Array.from({ length: SHARDS }, () => [])
  }

  /** All that follows of itself, until nothing is left: the stream, calls nobody waits for, what the schedule starts. */
  async settle(): Promise<void> {
    let batches = 0
    for (let round = 0; ; round += 1) {
      if (round > 40) throw new Error('the world does not come to rest')
      let moved = false
      for (; await inSimulation(() => this.time.until(this.deliver())); batches += 1) {
        if (batches > MOST_BATCHES) throw new Error('the projector does not come to an end')
        moved = true
      }
      for (let next = this.later.shift(); next; next = this.later.shift()) {
        await this.function(next.name, next.event).catch(() => undefined)
        moved = true
      }
      if (!moved && round > 1) return
      await this.visit()
    }
  }

  /** A minute later the schedule comes by. */
  async visit(): Promise<void> {
    this.time.advance(75_000)
    await this.function('sweeper', { chores: 'often' })
    await this.function('merger')
    await this.function('letters')
  }

  items(): Item[] {
    return [...this.table.cells.all()]
  }
}

const never = new Promise<never>(() => undefined)
const raise = (): never => {
  throw new Error('there is none')
}

export { type Saved, World }
