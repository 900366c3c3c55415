import type { routes } from '../../../functions/changes.ts'
import { type Answers, type Gives, ok, type Shape } from '../answer.ts'
import { ChangeActivity, ChangeCollection, ChangePage, Changes } from '../shapes/doors.ts'

const activity = (shape: Shape): Gives => ({ 200: { also: { 'application/activity+json': shape } } })

export const changes: Answers<typeof routes> = {
  'GET /data/changes/': {
    says: 'Read what has become of public records',
    more: [
      'In order and without gaps: follow `next`, keep `until`, and go on later with `after`. A record that nobody but insiders',
      'may read any more is `withdrawn`; records that are held to be one thing are `merged`, or `separated` again.',
      'With `include=record` each change carries what the record is now, null once it is withdrawn: whoever puts that in',
      'place of what it has, in this order, ends with an equal copy.',
    ].join(' '),
    gives: ok(Changes),
  },
  'GET /data/changes/{number}/': { says: 'Read one change as an activity', gives: activity(ChangeActivity) },
  'GET /data/changes/activity/': {
    says: 'Begin to read the changes as ActivityStreams',
    more: 'IIIF Change Discovery 1.0: the oldest change is the first on the first page, and a full page never changes again.',
    gives: activity(ChangeCollection),
  },
  'GET /data/changes/activity/{number}/': {
    says: 'Read a page of changes as ActivityStreams',
    gives: activity(ChangePage),
  },
}
