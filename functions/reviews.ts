import * as v from 'valibot'
import { confidences, handlings, verdicts, verificationMethods } from '../lib/domain/verdicts.ts'
import { choice, optionalChoice, prose } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { ByEntity } from '../lib/http/params.ts'
import { created } from '../lib/http/reply.ts'
import { changeRoute, type Routes } from '../lib/http/route.ts'
import { members } from '../lib/http/texts.ts'
import { decide } from '../lib/store/decisions.ts'
import { loadHistory } from '../lib/store/history.ts'
import { peopleOf } from '../lib/store/people.ts'
import { decisionView } from '../lib/views/entity.ts'

const Verdict = v.pipe(
  members({
    verdict: choice(verdicts),
    conflict_handling: v.optional(choice(handlings), 'not_applicable'),
    confidence_override: optionalChoice(confidences),
    verification_method: optionalChoice(verificationMethods),
    feedback: prose(5000),
    comments: prose(5000),
    reconciliation_note: prose(5000),
    internal_note: prose(5000),
  }),
  v.transform(({ comments, ...said }) => ({ ...said, feedback: said.feedback || comments })),
)

/** What reviewers do with what waits for them. */
export const routes = {
  'POST /data/review-workspace/{entity_id}/decide/': changeRoute({
    permission: 'record.review',
    cache: 'no-store',
    params: ByEntity,
    subject: ({ entity_id }) => loadHistory(entity_id),
    body: Verdict,
    handle: async ({ subject, actor, body }) => {
      const made = await decide(subject, actor, body)
      return created(
        decisionView(
          made,
          subject.revisions,
          subject,
          await peopleOf([actor.id, ...subject.revisions.map((it) => it.created_by)]),
        ),
      )
    },
  }),
} satisfies Routes

export const handler = endpoint(routes)
