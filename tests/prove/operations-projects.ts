import sharp from 'sharp'
import { drawing } from '../harness/media-files.ts'
import { type Base, move } from './base.ts'
import { at, fileForm, patch, post, type Row } from './operation.ts'
import type { Step } from './steps.ts'

/** Merges of all sorts, and what belongs to projects. */
const PICTURE = await sharp(drawing(64, 48, 'Gate'))
  .png()
  .toBuffer()
const picture = (more: Record<string, string>) => fileForm(PICTURE, 'gate.png', 'image/png', more)
const upload = (slug: string, more: Record<string, string> = {}): Step =>
  post('dev', at(slug, 'assets/upload/'), picture(more))

/** A project whose picture shows a record, up to where it can be merged. */
const pictured = (b: Base): readonly Step[] => [
  post('dev', at(b.projects.ready, 'entities/'), { entity: b.pending.cultural_entity_id }),
  upload(b.projects.ready, { depicts: b.pending.cultural_entity_id, caption: 'Gate', licence: 'CC-BY-4.0' }),
  move('dev', b.projects.ready, 'in_review'),
  move('reviewer', b.projects.ready, 'approved'),
]

export const projectRows: readonly Row[] = [
  [
    'merge with pictures',
    200,
    'expert',
    'POST',
    (b) => at(b.projects.ready, 'transition/'),
    () => ({ target_state: 'merged', comment: 'Done.' }),
    pictured,
  ],
  [
    'roll a merge with pictures back',
    200,
    'expert',
    'POST',
    (b) => at(b.projects.ready, 'rollback-merge/'),
    undefined,
    (b) => [...pictured(b), move('expert', b.projects.ready, 'merged')],
  ],
  [
    'show a picture of what is not in the project',
    400,
    'dev',
    'POST',
    (b) => at(b.projects.draft, 'assets/upload/'),
    (b) => picture({ depicts: b.open.cultural_entity_id }),
    undefined,
    { changes: false },
  ],
  [
    'hide a project with a text',
    200,
    'dev',
    'PATCH',
    (b) => at(b.projects.draft),
    () => ({ visibility: 'private' }),
    (b) => [upload(b.projects.draft, { run_ocr: 'true' })],
  ],
  [
    'amend a picture whose text was read',
    200,
    'dev',
    'PATCH',
    (b, made) => at(b.projects.draft, `assets/${made[0]?.body.id}/`),
    () => ({ caption: 'The gate' }),
    (b) => [upload(b.projects.draft, { run_ocr: 'true' })],
  ],
  [
    'hand in a project without a file',
    400,
    'dev',
    'POST',
    () => at('bare', 'transition/'),
    () => ({ target_state: 'in_review', comment: 'Ready.' }),
    () => [post('dev', '/data/projects/', { slug: 'bare', title: 'Bare' })],
    { changes: false },
  ],
  [
    'merge what is disputed',
    400,
    'expert',
    'POST',
    (b) => at(b.projects.approved, 'transition/'),
    () => ({ target_state: 'merged', comment: 'Done.' }),
    (b) => [
      post('reviewer', '/data/review-flags/', {
        entity: b.linked[1]?.cultural_entity_id,
        flag_type: 'contradiction',
        reason: 'It is said otherwise.',
      }),
    ],
    { changes: false },
  ],
  [
    'rename a project',
    200,
    'dev',
    'PATCH',
    (b) => at(b.projects.draft),
    () => ({ title: 'Of another name' }),
    (b) => [patch('dev', at(b.projects.draft), { abstract: 'Changed.' })],
  ],
]
