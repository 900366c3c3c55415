import * as v from 'valibot'
import { config } from '../lib/config.ts'
import { choice, line, lines, members, REQUIRED } from '../lib/http/body.ts'
import { endpoint } from '../lib/http/endpoint.ts'
import { created } from '../lib/http/reply.ts'
import { actorRoute, type Routes, readRoute } from '../lib/http/route.ts'
import type { Actor } from '../lib/permissions.ts'
import { companyOf } from '../lib/store/project-company.ts'
import { licenses, visibilities } from '../lib/store/project-items.ts'
import * as projects from '../lib/store/projects.ts'
import { within } from '../lib/store/requests.ts'
import { projectDetail } from '../lib/views/project.ts'

const slug = v.pipe(
  v.string(REQUIRED),
  v.trim(),
  v.nonEmpty(REQUIRED),
  v.maxLength(80, 'Ensure this field has no more than 80 characters.'),
  v.regex(/^[a-z0-9-]*$/, 'Use lowercase letters, digits and hyphens only.'),
  v.check((it) => !/^-|-$/.test(it), 'A slug must not start or end with a hyphen.'),
)
const BySlug = v.object({ slug: v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/)) })

const title = v.pipe(v.string(REQUIRED), line(200), v.trim(), v.nonEmpty(REQUIRED))
const orEmpty = <S extends v.GenericSchema<string, string>>(schema: S) =>
  v.pipe(v.nullish(v.string('Not a valid text.'), ''), schema)
const labels = (most: number, length: number) =>
  v.pipe(
    v.nullish(v.array(v.pipe(v.string('Not a valid text.'), line(length), v.trim()), 'Give a list of texts.'), []),
    v.maxLength(most, `Ensure this list has no more than ${most} elements.`),
    v.transform((it) => [...new Set(it.filter(Boolean))]),
  )
/** BCP 47, as far as its form goes. */
const languages = v.pipe(
  labels(20, 35),
  v.everyItem((it) => /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(it), 'Give language tags such as "ne" or "en-GB".'),
)
const Opening = members({
  slug,
  title,
  abstract: orEmpty(lines(20_000)),
  intended_subject: orEmpty(v.pipe(line(120), v.trim())),
  languages,
  license: v.optional(choice(licenses), 'CC-BY-4.0'),
  visibility: v.optional(choice(visibilities), 'private'),
  tags: labels(30, 50),
})

const subject = ({ slug }: { slug: string }) => projects.loadWhole(slug)

/** Projects: what people put together before it is merged into the public record. */
export const routes = {
  'POST /data/projects/': actorRoute({
    permission: 'project.create',
    cache: 'no-store',
    body: Opening,
    idempotent: '24h',
    handle: async ({ actor, body, once }) =>
      within('project_create', actor.id, config.RATE_PROJECTS, async () => {
        const people = await companyOf([actor.id], [])
        const shown = (made: projects.Whole) => created(projectDetail(made, [], actor, people))
        return shown(await projects.create(actor, body, (made) => once(shown(made))))
      }),
  }),

  'GET /data/projects/{slug}/': readRoute({
    permission: 'project.read',
    cache: 'no-store',
    params: BySlug,
    subject,
    handle: async ({ subject, actor }) => detailOf(subject, actor),
  }),
} satisfies Routes

export const handler = endpoint(routes)

async function detailOf(it: projects.Whole, actor: Actor | null) {
  const { about, assets, entities } = it
  const people = [
    ...about.memberships.flatMap((one) => [one.user_id, one.invited_by]),
    ...assets.map((one) => one.uploaded_by),
    ...entities.map((one) => one.added_by),
  ]
  const company = await companyOf(
    people,
    entities.map((one) => one.entity_id),
  )
  return projectDetail(it, [], actor, company)
}
