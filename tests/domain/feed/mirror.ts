import type { App } from '../../harness/app.ts'
import { sure } from '../../harness/make.ts'

/** A consumer of the feed that reads pages of any size, forgets a page it has read, and keeps nothing but a copy and a number. */
export class Mirror {
  readonly copy = new Map<string, unknown>()
  #after = 0
  #seed: number
  readonly #app: App
  readonly #longest: number

  constructor(app: App, seed: number, longest = 7) {
    this.#app = app
    this.#seed = seed
    this.#longest = longest
  }

  /** A number below `most`, the same in every run. */
  random(most: number): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((this.#seed / 2_147_483_648) * most)
  }

  /** Reads a page; now and then it stops in the midst of it, and has to read it again. */
  async readSome(): Promise<boolean> {
    const limit = 1 + this.random(this.#longest)
    const query = { after: this.#after, limit, include: 'record' }
    const { changes, until, last } = sure(200, await this.#app.anon.get('/data/changes/', { query }))
    const stops = this.random(4) === 0
    for (const it of stops ? changes.slice(0, this.random(limit)) : changes) this.#take(it)
    if (!stops) this.#after = until
    return this.#after < last
  }

  async readAll(): Promise<void> {
    while (await this.readSome());
  }

  #take({ url, record, members }: { url: string; record: unknown; members: string[] }): void {
    if (record) this.copy.set(url, record)
    else if (members.length > 1) this.copy.set(url, members.toSorted())
    else this.copy.delete(url)
  }

  /** What everyone may read right now, not by way of the feed: every record of every kind, and every cluster. */
  async whatStands(): Promise<Map<string, unknown>> {
    const { scan } = await import('../../../lib/engines/table/scan.ts')
    const { maySee } = await import('../../../lib/platform/permissions.ts')
    const { recordItem } = await import('../../../lib/domain/records/items.ts')
    const { cluster } = await import('../../../lib/domain/clusters/items.ts')
    const { parse } = await import('../../../lib/engines/table/item.ts')
    const { thingsNow } = await import('../../../lib/domain/feed/things.ts')
    const entries = []
    for await (const page of scan(['record', 'cluster']))
      for (const item of page) {
        if (item.type === 'cluster') entries.push({ id: parse(cluster, item).id, kind: 'entity_cluster' as const })
        else if (maySee(null, parse(recordItem, item)))
          entries.push({ id: String(item.entity_id), kind: parse(recordItem, item).kind })
      }
    const { records, clusters } = await thingsNow(entries, 'http://localhost:8000')
    const of = (it: { id: string; kind: string }) => records.get(it.id)
    const stands = new Map<string, unknown>()
    const { iriOf } = await import('../../../lib/domain/records/iri.ts')
    for (const it of entries) {
      const record = of(it)
      if (record) stands.set(iriOf('http://localhost:8000', it.kind, record.id), record)
      const members = clusters.get(it.id)
      if (members && members.length > 1)
        stands.set(iriOf('http://localhost:8000', 'entity_cluster', it.id), members.toSorted())
    }
    return stands
  }
}
