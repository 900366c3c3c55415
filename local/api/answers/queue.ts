import * as v from 'valibot'
import type { routes } from '../../../functions/queue.ts'
import { type Answers, ok, page } from '../answer.ts'
import { Message } from '../shapes/common.ts'
import { ImportBatch } from '../shapes/imports.ts'
import { ContributionQueueCounts, QueueCounts, QueueItem, TriagePolicy } from '../shapes/review.ts'

export const queue: Answers<typeof routes> = {
  'GET /data/review-queue/': {
    says: 'List what waits for review, the most urgent first',
    more: 'A table that was imported is one line in `batches`, until its rows are decided on; these are at `/data/imports/{id}/rows/`.',
    gives: page(QueueItem, { batches: v.array(ImportBatch) }),
  },
  'GET /data/review-queue/queue_counts/': { says: 'Count what waits', gives: ok(QueueCounts) },
  'GET /data/review-queue/triage-policy/': { says: 'Read how urgency is weighed', gives: ok(TriagePolicy) },
  'GET /data/review-queue/{entity_id}/': { says: 'Read an item of the queue', gives: ok(QueueItem) },
  'POST /data/review-queue/{entity_id}/claim/': {
    says: 'Take an item for 30 minutes',
    gives: ok(QueueItem),
    refuses: [409],
  },
  'POST /data/review-queue/{entity_id}/release/': {
    says: 'Give an item back',
    gives: ok(QueueItem),
    refuses: [409],
  },
  'GET /data/contribution-queue/': { says: 'List what staff moderate', gives: page(QueueItem) },
  'GET /data/contribution-queue/queue-counts/': {
    says: 'Count what staff moderate',
    gives: ok(ContributionQueueCounts),
  },
  'GET /data/contribution-queue/{entity_id}/': { says: 'Read an item that staff moderate', gives: ok(QueueItem) },
  'POST /data/contribution-queue/{entity_id}/moderate/': {
    says: 'Accept or reject in one step',
    gives: ok(Message),
    refuses: [409],
  },
}
