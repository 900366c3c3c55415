/** Stores changes of a record that were accepted one a second, as a verdict stores them. */
export async function storeChanges(entity_id: string, many: number): Promise<void> {
  const { clock, newChildId } = await import('../../lib/base/clock.ts')
  const { loadHistory } = await import('../../lib/domain/records/history.ts')
  const { decision, recordItem, recordItemOf, revision } = await import('../../lib/domain/records/items.ts')
  const { put } = await import('../../lib/engines/table/item.ts')
  const { transact } = await import('../../lib/engines/table/transact.ts')
  const start = clock.now().getTime()
  const old = await loadHistory(entity_id)
  const [model] = old?.decisions ?? []
  const [values] = old?.revisions ?? []
  if (!old || !model || !values) throw new Error('nothing to change')
  let head = recordItemOf(old)
  let writes = []
  const real = clock.now
  for (let i = 1; i <= many; i += 1) {
    const time = start + i * 1000
    clock.now = () => new Date(time)
    const at = new Date(time).toISOString()
    const number = values.revision_number + i
    const next = { ...values, revision_id: newChildId(entity_id), revision_number: number, created_at: at, version: 1 }
    const data = { ...values.data, note: `note ${i}` }
    const verdict = { ...model, id: newChildId(entity_id), sequence: model.sequence + i, created_at: at, version: 1 }
    writes.push(
      put(revision, { ...next, data }, undefined),
      put(decision, { ...verdict, accepted_revision: number, revision_reviewed: number }, undefined),
    )
    if (writes.length >= 40 || i === many) {
      const ids = { accepted_revision: number, accepted_revision_id: next.revision_id }
      const current = { current_revision: number, current_revision_id: next.revision_id }
      const changed = { ...head, ...ids, ...current, data, accepted_at: at, updated_at: at, version: head.version + 1 }
      await transact([...writes, put(recordItem, changed, head)])
      head = changed
      writes = []
    }
  }
  clock.now = real
}
