import * as v from 'valibot'

/** Shapes that many answers share. */
/** What marks what is deleted; only staff read that. */
export const tombstone = { deleted_at: v.optional(v.string()), is_deleted: v.optional(v.boolean()) }
export const uuid = v.pipe(v.string(), v.uuid())
export const time = v.pipe(v.string(), v.isoTimestamp())
export const text = v.string()
export const whole = v.pipe(v.number(), v.integer())
export const maybe = <S extends v.GenericSchema>(schema: S) => v.nullable(schema)
/** One of a list that may grow. */
export const oneOf = <const Options extends readonly string[]>(options: Options) => v.picklist(options)
/** Values by member name; which members there are is the kind's to say. */
export const Values = v.record(v.string(), v.unknown())

/** A person, as nested in other things. */
export const UserCard = v.object({ id: uuid, username: text, email: text, first_name: text, last_name: text })
/** A person, or the service itself, whose id is null. */
export const Author = v.object({ ...UserCard.entries, id: maybe(uuid) })
/** A sentence about what was done. */
export const Message = v.object({ message: text })
/** A sentence; in refusals why. */
export const Detail = v.object({ detail: text })
/** What is wrong, by member, and inside of a member by its members; `non_field_errors` is about the whole. */
export const FieldErrors: v.GenericSchema<Faults> = v.record(
  v.string(),
  v.union([v.array(text), v.lazy(() => FieldErrors)]),
)
type Faults = { [member: string]: string[] | Faults }
/** What a request says that has no effect, or that is doubtful; `member` is its path. */
export const Warning = v.object({ member: text, message: text })
/** Why a request is refused: a sentence, or what is wrong by member. */
export const BadRequest = v.union([Detail, FieldErrors])
