import type { routes } from '../../../functions/health.ts'
import { type Answers, content, ok } from '../answer.ts'
import { Health, HealthDetails, Links, Liveness, Readiness } from '../shapes/service.ts'

export const health: Answers<typeof routes> = {
  'GET /health/': { says: 'Ask whether it is there', gives: ok(Health) },
  'GET /health/live/': { says: 'Ask whether it lives', gives: ok(Liveness) },
  'GET /health/ready/': {
    says: 'Ask whether it is ready',
    gives: { 200: { shape: Readiness }, 503: { shape: Readiness } },
  },
  'GET /health/detailed/': {
    says: 'Ask what of it works',
    gives: { 200: { shape: HealthDetails }, 503: { shape: HealthDetails } },
  },
  'GET /': {
    says: 'Read the metrics, or with `?format=json` the link index',
    gives: { 200: { shape: Links, types: ['text/plain'] } },
  },
  'GET /metrics/': { says: 'Read the metrics', gives: content('text/plain') },
}
