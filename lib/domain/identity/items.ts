import * as v from 'valibot'
import { defineItem } from '../../engines/table/index.ts'
import { key } from '../../platform/table/keys.ts'

export const candidateStatuses = ['open', 'accepted', 'rejected', 'deferred'] as const
export type CandidateStatus = (typeof candidateStatuses)[number]

/**
 * The question whether two records are about the same thing. A pair has one item for all time, so what was answered stays answered.
 */
export const Candidate = v.object({
  id: v.string(),
  /** Review identities, in the order of their letters. */
  left: v.string(),
  right: v.string(),
  status: v.picklist(candidateStatuses),
  notes: v.string(),
  decided_by: v.nullable(v.string()),
  decided_at: v.nullable(v.string()),
  /** The cluster that both are in since it was accepted. */
  cluster_id: v.nullable(v.string()),
  created_at: v.string(),
  updated_at: v.string(),
  version: v.number(),
})
export type Candidate = v.InferOutput<typeof Candidate>

/** The name of the list of candidates with a status, or of all. */
export const candidateList = (status?: string): string => (status === undefined ? 'CANDIDATE' : `CANDIDATE#${status}`)
export const candidateIndex = (status?: string) => (status === undefined ? 'gsi2' : 'gsi1')

export const candidate = defineItem({
  type: 'candidate',
  schema: Candidate,
  key: (it: { id: string }) => key.candidate(it.id),
  indexes: ({ id, status, created_at }) => ({
    gsi1: { pk: candidateList(status), sk: `${created_at}#${id}` },
    gsi2: { pk: candidateList(), sk: `${created_at}#${id}` },
  }),
  counted: ({ status }) => [candidateList(status), candidateList()],
})
