import type { routes } from '../../../functions/roles.ts'
import { type Answers, made, nothing, ok, page } from '../answer.ts'
import { Application, OwnApplication, ReviewerRole, User } from '../shapes/review.ts'

const assign = {
  says: 'Give someone a role',
  more: 'By `user_id` or `username`. 201 for a new role, 200 where one is changed.',
  gives: { ...ok(ReviewerRole), ...made(ReviewerRole) },
  refuses: [404, 409],
} as const

export const roles: Answers<typeof routes> = {
  'GET /data/reviewer-roles/': { says: 'List the roles', gives: page(ReviewerRole) },
  'GET /data/reviewer-roles/my_role/': { says: 'Read the own role', gives: ok(ReviewerRole), refuses: [404] },
  'GET /data/reviewer-roles/{id}/': { says: 'Read a role', gives: ok(ReviewerRole) },
  'POST /data/reviewer-roles/': assign,
  'POST /data/reviewer-roles/assign/': assign,
  'PUT /data/reviewer-roles/{id}/': { says: 'Replace a role', gives: ok(ReviewerRole), refuses: [409] },
  'PATCH /data/reviewer-roles/{id}/': { says: 'Change a role', gives: ok(ReviewerRole), refuses: [409] },
  'DELETE /data/reviewer-roles/{id}/': { says: 'Take a role away', gives: nothing, refuses: [409] },
  'GET /data/reviewer-applications/': { says: 'List the applications', gives: page(Application) },
  'POST /data/reviewer-applications/': { says: 'Apply for a role', gives: made(OwnApplication), refuses: [409] },
  'GET /data/reviewer-applications/mine/': { says: 'Read the own application', gives: ok(OwnApplication) },
  'POST /data/reviewer-applications/mine/withdraw/': {
    says: 'Withdraw the own application',
    gives: nothing,
    refuses: [409],
  },
  'GET /data/reviewer-applications/{id}/': { says: 'Read an application', gives: ok(Application) },
  'POST /data/reviewer-applications/{id}/approve/': {
    says: 'Approve an application',
    gives: ok(Application),
    refuses: [409],
  },
  'POST /data/reviewer-applications/{id}/reject/': {
    says: 'Reject an application',
    gives: ok(Application),
    refuses: [409],
  },
  'GET /data/platform-admin/users/': { says: 'List the users who may be given a role', gives: page(User) },
  'GET /data/platform-admin/users/{id}/': { says: 'Read a user', gives: ok(User) },
}
