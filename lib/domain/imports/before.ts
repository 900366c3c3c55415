import * as v from 'valibot'
import { Assertion, RecordItem } from '../records/items.ts'
import { getChunk, putChunk } from './store.ts'

/** A record before a row changed it. */
const Before = v.object({ head: RecordItem, assertions: v.array(Assertion) })
export type Before = v.InferOutput<typeof Before>

/** Stores it before the record changes, so that the batch can be taken back. */
export const storeBefore = (id: string, row: number, before: Before): Promise<void> =>
  putChunk(id, 'before', row, before)
export const loadBefore = (id: string, row: number): Promise<Before | undefined> => getChunk(Before, id, 'before', row)
