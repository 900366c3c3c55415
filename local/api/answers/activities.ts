import type { routes } from '../../../functions/activities.ts'
import { type Answers, ok, page } from '../answer.ts'
import { Activity } from '../shapes/entity.ts'

export const activities: Answers<typeof routes> = {
  'GET /data/activities/': { says: 'List what happens, newest first', gives: page(Activity) },
  'GET /data/activities/{id}/': { says: 'Read something that happened', gives: ok(Activity) },
}
