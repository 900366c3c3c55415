import { addressOf, packOf } from '../../base/ids/address.ts'
import { engineKeys, type Key, padNumber, padPlace } from '../../engines/table/index.ts'
import './lists.ts'

/**
 * Every key in the table. Those of the engines themselves (large transactions, counts, locks, sequences, loose files, the log of search)
 * are made in the engines and listed here.
 *
 *   access pattern                                    index       pk                              sk
 *   one record with its claims, by contribution       table       ENTITY#<id>                     HEAD, HEAD#CLAIMS#<pack>
 *   events, deities and guthis that name it             table       ENTITY#<id>                     HEAD#LINK#<other>#<relation>
 *   its whole history                                 table       ENTITY#<id>                     REVISION#, ACTIVITY#, DECISION#, FLAG#
 *   records of a kind, published or in one status     gsi1        KIND#<kind>#<standing>          <created_at>#<id>
 *   records of every kind                             gsi2        RECORD#<standing>               <created_at>#<id>
 *   one contributor's records of every kind           gsi3        OWNER#<user>#<standing>         <created_at>#<id>
 *   one contributor's records of a kind               gsi4        OWNER#<user>#<kind>#<standing>  <created_at>#<id>
 *   records whose name begins with, or equals         table       NAME#<kind>#<first character>   <folded name>#<id>
 *   a name that a new stub is taking right now        table       STUB#<kind>#<folded name>       HEAD
 *   records with an identifier of their source        table       IDENTIFIER#<kind>               <identifier>#<id>
 *   records that may be about one thing              table       ALIKE#<family of kinds>         <spelling or identity>#<id>
 *   records near a point                              table       GRID#<kind>#<row>               <column>#<id>
 *   records that name a record                        table       RELATED#<id>                    <kind>#<id of the other>#<relation>
 *   activities: all, by person, by type, by both      all four    ACTIVITY[#USER#<user>][#TYPE#<type>]   <created_at>#<id>
 *   decisions of one person                           gsi3        DECISION#<user>                 <created_at>#<id>
 *   packs with claims that are pending, accepted, disputed, superseded  all four  ASSERTION#<audience>#<status>[#<part>]  <created_at>#<pack>
 *   flags: all, open or resolved, of one type of them  gsi2, gsi3, gsi1  FLAG#<audience>[#TYPE#<type>][#RESOLVED#<bool>]  <created_at>#<id>
 *   flags withheld, on the records of one person      gsi4        FLAGGED#<user>                  <created_at>#<id>
 *   data sources, clusters: one; all, newest first    table, gsi2   SOURCE#<id>, CLUSTER#<id>     HEAD
 *   clusters by kind, by lock, by both                gsi1, gsi3, gsi4  CLUSTER[#KIND#<kind>][#LOCKED#<bool>]  <created_at>#<id>
 *   the cluster that a record is in                  table       ENTITY#<id>                     CLUSTER
 *   one user; by email; by username                   table       USER#<id>, EMAIL#<>, USERNAME#<>  HEAD
 *   all users, oldest first                           gsi2        USER                            <created_at>#<id>
 *   users whose name, username or address begins so   table       NAME#user#<first>, NAME#user_email#<first>  <folded>#<id>
 *   users with a reviewer's role, newest first        gsi1        ROLE                            <created_at>#<id>
 *   one application to review                         table       APPLICATION#<id>                HEAD
 *   applications in one status, newest first          gsi1        APPLICATION#<status>            <1 if pending>#<created_at>#<id>
 *   one notification of a user                        table       NOTIFICATION#<user>             <id>
 *   one's notifications; of one type                  gsi3, gsi4  NOTIFICATION#<user>[#<type>]  <id>
 *   those not marked as read one by one               gsi2        NOTIFICATION#<user>#UNREAD      <ordinal>
 *   up to where someone has read all                  table       INBOX#<user>                    HEAD
 *   what all reviewers are told, once; its end         table       ANNOUNCED#LOG, ANNOUNCED        <id>, HEAD
 *   the same, of one type                             gsi4        ANNOUNCED#TYPE#<type>           <id>
 *   whether an event is announced already             table       ANNOUNCED#OF#<notice>#<event>   HEAD
 *   one of them that someone has read by itself       table       INBOX#<user>                    READ#<id>
 *   who wants letters of what is announced, by how far they are told  gsi4  INBOX#REVIEWERS       <id>#<user>
 *   whose letters are due, by when                    gsi2        INBOX#DUE                       <moment>#<user>
 *   how someone wants letters                         table       LETTERS#<user>                  HEAD
 *   who waits to be asked whether an address is theirs  gsi2      LETTERS#CONFIRM                 <moment>#<user>
 *   comments of a thread, newest first                table       THREAD#<record or project>      ROOT#<number>
 *   their first replies, of the newest first          table       THREAD#<record or project>      EARLY#<number of the root, counted down>#<place>
 *   further replies                                   table       THREAD#<record or project>      LATER#<number of the root>#<place>
 *   all replies to a comment, oldest first            gsi4        REPLIES#<number of the root>    <place>
 *   a thread's comments and replies, newest first     gsi1        COMMENTS#<record or project>    <number>
 *   one person's comments on records, by standing     gsi3        COMMENTER#<user>#<standing>     <number>
 *   where a comment is                                table       COMMENT#<number>                HEAD
 *   one's reactions in a thread; sums of its subject  table       REACTIONS#<record or project>   <user>, TOTALS
 *   one submission; by its short id; all of these     table       SUBMISSION#<number>; SUBMISSION_ID  HEAD; <submission_id>
 *   its versions, its moderation                      table       SUBMISSION#<number>             VERSION#<number>, MODERATION
 *   submissions: all, by status, by person, by both   all four    SUBMISSION[#USER#<user>][#STATUS#<status>]  <created_at>#<number>
 *   one suggestion                                    table       SUGGESTION#<number>             HEAD
 *   suggestions: all, of a submission, by a person    gsi2, gsi1, gsi3  SUGGESTION[#OF#<number>][#BY#<user>]  <number>
 *   a waiting record's places in the queue            table       ENTITY#<id>                     QUEUE#URGENCY, QUEUE#AGE
 *   what waits, by list and age, most urgent first    all four    QUEUE#<list>[#IN#<category>]#<age>  <order>#<flags>#<created_at>#<id>
 *   what waits, by list, by time                      gsi1, gsi3  QUEUE#<list>#created            <created_at>#<id>
 *   what passes into another age, by when             gsi4        QUEUE#due                       <moment>#<id>
 *   who works on a waiting record right now           table       ENTITY#<id>                     LEASE
 *   one project with its assets and linked records    table       PROJECT#<id>                    ASSET#<id>, ENTITY#<record>, HEAD
 *   the project that has a slug                       table       SLUG#<slug>                     HEAD
 *   what happened in a project, newest first          table       PROJECT#<id>                    ACTIVITY#<number>
 *   a project as it was before a merge                table       PROJECT#<id>                    SNAPSHOT#<created_at>#<id>
 *   projects by class, owner and state, four orders   all four    PROJECT#<class>[#OWNER#<user>][#<state>]#<order>  <time>#<id>
 *   who merges a project right now                    table       PROJECT#<id>                    MERGING
 *   merges and rollbacks that go on by themselves      every       MERGING                         <started_at>#<id>
 *   what one of them remembers of a part                table       MERGE#<id>                      PART#<number>
 *   what a merge keeps in the bucket, until looked through  table, gsi1  MERGE#<id>; MERGE#FOLDER   HEAD; <until>#<id>
 *   an object of the bucket that nothing names, by when it goes  table, gsi1  LOOSE#<object>; LOOSE  HEAD; <until>#<object>
 *   the same, in the project itself                   table       PROJECT#<id>                    PLACE#<order>, MEMBER#<user>
 *   another's hidden projects that one works on       all four    PROJECT#MEMBER#<user>#<class>#<order>  <time>#<id>
 *   projects with a word that begins so               table       WORD#project                    <word>#<id>
 *   an upload that is not an asset yet                table       PROJECT#<id>                    UPLOAD#<id>
 *   uploads by when they expire                       gsi1        UPLOAD                          <until>#<id>
 *   deleted projects with files, by when              gsi1        DELETED                         <deleted_at>#<id>
 *   what search learns of the text in an asset        table       PROJECT#<id>                    TEXT#<id>
 *   the asset that a number of older clients means    table       MEDIA#<number>                  HEAD
 *   assets whose text is being read, by since when    gsi2        OCR                             <since>#<id>
 *   one file of a picture; those that no record names, by when they go  table, gsi1  PICTURE#<id>; PICTURE  HEAD; <until>#<id>
 *   one import; a row of it that has made something  table       IMPORT#<id>                     HEAD, ROW#<number>
 *   one's imports, newest first                       gsi3        IMPORT#OF#<user>                <created_at>#<id>
 *   imports that are worked on                        gsi2        IMPORT#AT_WORK                  <since>#<id>
 *   batches whose rows wait for review                gsi1        IMPORT#BATCH                    <created_at>#<id>
 *   imports with files, by when these go              gsi4        IMPORT#FILES                    <until>#<id>
 *   what waits of a batch, in the order of its rows   gsi1        BATCH#<import>                  <row>#<id>
 *   a mapping that someone keeps                      table       IMPORTER#<user>                 MAPPING#<name>
 *   the reply to a request that may come twice        table       REPLY#<user>#<key>              HEAD
 *   one delivery to the review webhook                table       DELIVERY#<id>                   HEAD
 *   one hook; one's hooks; all of them                table, gsi3, gsi2  HOOK#<id>                    HEAD; <created_at>#<id>
 *   deliveries to one hook, newest first              gsi3        DELIVERY#OF#<hook>              <created_at>#<id>
 *   deliveries that wait, by when; those given up     gsi2        DELIVERY#waiting, DELIVERY#dead  <moment>#<id>
 *   a large transaction, its parts                   table       LARGE#<id>                      HEAD, PART#<number>
 *   large transactions that are not settled           every       LARGE                           <created_at>#<id>
 *   what an item was before one that is at work        table       STAGED#<id>#<pk>                <sk>
 *   exact sizes of these lists, some in an item       table       COUNT#<group>#<shard>           HEAD, <kind>
 *   who does what one at a time does                  table       LOCK#<name>                     HEAD
 *   next number of a sequence                         table       SEQUENCE#<name>                 HEAD
 *   until when the projector has taken in changes     table       PROJECTOR                       HEAD
 *   how old what it is given was, where that is old   table       PROJECTOR                       LATE#<slot>
 *   changes that it could not apply                   table       PARKED                          <place in the stream>#<piece>
 *   hits in a throttle's window                       table       RATE#<scope>#<who>              <window>
 *   one sign-in with the tokens of its family         table       TOKEN#session#<id>              HEAD
 *   what a provider said of a token, by its hash      table       TOKEN#idp#<sha256>              HEAD
 *   what search has learned, entry by entry; its end   table       SEARCH#LOG, SEARCH               <number>, HEAD
 *   which snapshot of search counts                   table       SEARCH                          SNAPSHOT
 *   the feed of changes, entry by entry; its end       table       CHANGES#LOG, CHANGES             <number>, HEAD
 *   what the feed has told of a thing last             table       CHANGES#OF#<id>                  HEAD
 *   things of a kind by when they changed last         table       CHANGES#NOW#<kind>               <time>#<number>
 *   one person's figures, as boards show them         table       BOARD#USER#<user>               HEAD
 *   a board, or an institution's part, best first     table       BOARD#LIST#<board>[#IN#<institution>]   <points down>#<then down>#<username>#<user>
 *   how many of them have how many points             table       BOARD#TREE#<board>[#IN#<institution>]   N<first digits of the points>
 *   the same at the end of a month; whether it is kept  table     BOARD#TREE#<board>@<month>      N<first digits of the points>, WHOLE
 *   the sums over everyone                            table       BOARD#TOTALS                    <shard>
 *   how far the sweeper has come in recounting        table       BOARD#SWEEP                     HEAD
 *   institutions of those who are on the board        table       BOARD#INSTITUTIONS              <institution>
 *   versions of the sorts of answer that are kept     table       VERSIONS                        HEAD
 *   a kept answer, by prefix, sort, version and key   table       CACHE#<place>                   HEAD
 */
const HEAD = 'HEAD'
export const key = {
  ...engineKeys,
  head: (record: string): Key => ({ pk: `ENTITY#${record}`, sk: HEAD }),
  claims: (record: string, pack: string): Key => ({ pk: `ENTITY#${record}`, sk: `HEAD#CLAIMS#${pack}` }),
  link: (to: string, from: string, relation: string): Key => ({
    pk: `ENTITY#${to}`,
    sk: `HEAD#LINK#${from}#${relation}`,
  }),
  /** The claims among which one is, by its id alone: it carries the record's address and the pack's. */
  ofClaim: (id: string): Key => key.claims(addressOf(id)?.record ?? 'none', packOf(id)),
  revision: (record: string, number: number): Key => ({
    pk: `ENTITY#${record}`,
    sk: `REVISION#${String(number).padStart(8, '0')}`,
  }),
  activity: (record: string, id: string): Key => ({ pk: `ENTITY#${record}`, sk: `ACTIVITY#${id}` }),
  decision: (record: string, id: string): Key => ({ pk: `ENTITY#${record}`, sk: `DECISION#${id}` }),
  queued: (record: string, order: 'URGENCY' | 'AGE'): Key => ({
    pk: `ENTITY#${record}`,
    sk: `QUEUE#${order}`,
  }),
  lease: (record: string): Key => ({ pk: `ENTITY#${record}`, sk: 'LEASE' }),
  flag: (record: string, id: string): Key => ({ pk: `ENTITY#${record}`, sk: `FLAG#${id}` }),
  /** By how the name begins, so that the names of a kind are not all on one key. */
  name: (kind: string, folded: string, record: string): Key => ({
    pk: `NAME#${kind}#${[...folded][0] ?? ''}`,
    sk: `${folded}#${record}`,
  }),
  stub: (kind: string, folded: string): Key => ({ pk: `STUB#${kind}#${folded}`, sk: HEAD }),
  identifier: (kind: string, identifier: string, record: string): Key => ({
    pk: `IDENTIFIER#${kind}`,
    sk: `${identifier}#${record}`,
  }),
  /** By how the trait begins, as names are. */
  alike: (family: string, trait: string, record: string): Key => ({
    pk: `ALIKE#${family}#${[...trait][0] ?? ''}`,
    sk: `${trait}#${record}`,
  }),
  grid: (kind: string, row: string, col: string, record: string): Key => ({
    pk: `GRID#${kind}#${row}`,
    sk: `${col}#${record}`,
  }),
  related: (to: string, kind: string, from: string, relation: string): Key => ({
    pk: `RELATED#${to}`,
    sk: `${kind}#${from}#${relation}`,
  }),
  source: (id: string): Key => ({ pk: `SOURCE#${id}`, sk: HEAD }),
  cluster: (id: string): Key => ({ pk: `CLUSTER#${id}`, sk: HEAD }),
  clustered: (record: string): Key => ({ pk: `ENTITY#${record}`, sk: 'CLUSTER' }),
  reactions: (thread: string, of: string): Key => ({ pk: `REACTIONS#${thread}`, sk: of }),
  user: (id: string): Key => ({ pk: `USER#${id}`, sk: HEAD }),
  email: (email: string): Key => ({ pk: `EMAIL#${email}`, sk: HEAD }),
  username: (username: string): Key => ({ pk: `USERNAME#${username}`, sk: HEAD }),
  application: (id: string): Key => ({ pk: `APPLICATION#${id}`, sk: HEAD }),
  notification: (user: string, id: string): Key => ({ pk: `NOTIFICATION#${user}`, sk: id }),
  letters: (user: string): Key => ({ pk: `LETTERS#${user}`, sk: HEAD }),
  inbox: (user: string): Key => ({ pk: `INBOX#${user}`, sk: HEAD }),
  announcement: (id: string): Key => ({ pk: 'ANNOUNCED#LOG', sk: id }),
  announcedEnd: { pk: 'ANNOUNCED', sk: HEAD } satisfies Key,
  announcedOf: (notice: string, event: string): Key => ({ pk: `ANNOUNCED#OF#${notice}#${event}`, sk: HEAD }),
  readMark: (user: string, id: string): Key => ({ pk: `INBOX#${user}`, sk: `READ#${id}` }),
  project: (id: string): Key => ({ pk: `PROJECT#${id}`, sk: HEAD }),
  slug: (slug: string): Key => ({ pk: `SLUG#${slug}`, sk: HEAD }),
  asset: (project: string, id: string): Key => ({ pk: `PROJECT#${project}`, sk: `ASSET#${id}` }),
  upload: (project: string, id: string): Key => ({ pk: `PROJECT#${project}`, sk: `UPLOAD#${id}` }),
  assetText: (project: string, id: string): Key => ({ pk: `PROJECT#${project}`, sk: `TEXT#${id}` }),
  media: (number: number): Key => ({ pk: `MEDIA#${number}`, sk: HEAD }),
  projectEntity: (project: string, record: string): Key => ({ pk: `PROJECT#${project}`, sk: `ENTITY#${record}` }),
  projectActivity: (project: string, number: number): Key => ({
    pk: `PROJECT#${project}`,
    sk: `ACTIVITY#${String(number).padStart(8, '0')}`,
  }),
  snapshot: (project: string, at: string, id: string): Key => ({
    pk: `PROJECT#${project}`,
    sk: `SNAPSHOT#${at}#${id}`,
  }),
  projectPlace: (project: string, order: string): Key => ({ pk: `PROJECT#${project}`, sk: `PLACE#${order}` }),
  projectMember: (project: string, user: string): Key => ({ pk: `PROJECT#${project}`, sk: `MEMBER#${user}` }),
  merging: (project: string): Key => ({ pk: `PROJECT#${project}`, sk: 'MERGING' }),
  mergeFolder: (merge: string): Key => ({ pk: `MERGE#${merge}`, sk: HEAD }),
  mergePart: (merge: string, number: number): Key => ({
    pk: `MERGE#${merge}`,
    sk: `PART#${String(number).padStart(6, '0')}`,
  }),
  projectWord: (word: string, project: string): Key => ({ pk: 'WORD#project', sk: `${word}#${project}` }),
  picture: (id: string): Key => ({ pk: `PICTURE#${id}`, sk: HEAD }),
  import: (id: string): Key => ({ pk: `IMPORT#${id}`, sk: HEAD }),
  importRow: (id: string, row: number): Key => ({ pk: `IMPORT#${id}`, sk: `ROW#${padPlace(row)}` }),
  importMapping: (user: string, name: string): Key => ({ pk: `IMPORTER#${user}`, sk: `MAPPING#${name}` }),
  reply: (user: string, key: string): Key => ({ pk: `REPLY#${user}#${key}`, sk: HEAD }),
  comment: (thread: string, { id, root, place }: { id: number; root: number; place: number }): Key => ({
    pk: `THREAD#${thread}`,
    sk: id === root ? `ROOT#${padNumber(id)}` : replyKey(root, place),
  }),
  commentPlace: (id: number): Key => ({ pk: `COMMENT#${id}`, sk: HEAD }),
  submission: (id: number): Key => ({ pk: `SUBMISSION#${id}`, sk: HEAD }),
  submissionId: (submission_id: string): Key => ({ pk: 'SUBMISSION_ID', sk: submission_id }),
  submissionVersion: (id: number, version: number): Key => ({
    pk: `SUBMISSION#${id}`,
    sk: `VERSION#${String(version).padStart(8, '0')}`,
  }),
  moderation: (submission: number): Key => ({ pk: `SUBMISSION#${submission}`, sk: 'MODERATION' }),
  suggestion: (id: number): Key => ({ pk: `SUGGESTION#${id}`, sk: HEAD }),
  delivery: (id: string): Key => ({ pk: `DELIVERY#${id}`, sk: HEAD }),
  hook: (id: string): Key => ({ pk: `HOOK#${id}`, sk: HEAD }),
  progress: (): Key => ({ pk: 'PROJECTOR', sk: HEAD }),
  lateness: (slot: number): Key => ({ pk: 'PROJECTOR', sk: `LATE#${slot}` }),
  parked: (change: string, piece: number): Key => ({ pk: 'PARKED', sk: `${change}#${String(piece).padStart(4, '0')}` }),
  rate: (scope: string, who: string, window: number): Key => ({ pk: `RATE#${scope}#${who}`, sk: String(window) }),
  changesEnd: (): Key => ({ pk: 'CHANGES', sk: HEAD }),
  change: (number: number): Key => ({ pk: 'CHANGES#LOG', sk: padNumber(number) }),
  lastTold: (id: string): Key => ({ pk: `CHANGES#OF#${id}`, sk: HEAD }),
  /** Times and numbers go up together, so either finds its place. */
  changed: (kind: string, at: string, number: number): Key => ({
    pk: `CHANGES#NOW#${kind}`,
    sk: `${at}#${padNumber(number)}`,
  }),
  token: (what: string): Key => ({ pk: `TOKEN#${what}`, sk: HEAD }),

  board: (user: string): Key => ({ pk: `BOARD#USER#${user}`, sk: HEAD }),
  boardRow: (list: string, place: string): Key => ({ pk: `BOARD#LIST#${list}`, sk: place }),
  boardNode: (list: string, prefix: string): Key => ({ pk: `BOARD#TREE#${list}`, sk: `N${prefix}` }),
  boardWhole: (list: string): Key => ({ pk: `BOARD#TREE#${list}`, sk: 'WHOLE' }),
  boardTotals: (shard: number): Key => ({ pk: 'BOARD#TOTALS', sk: String(shard) }),
  boardSweep: (): Key => ({ pk: 'BOARD#SWEEP', sk: HEAD }),
  institution: (name: string): Key => ({ pk: 'BOARD#INSTITUTIONS', sk: name }),
  versions: (): Key => ({ pk: 'VERSIONS', sk: HEAD }),
  cached: (place: string): Key => ({ pk: `CACHE#${place}`, sk: HEAD }),
}

/** How many replies to each comment are read together with a page of comments. */
export const EARLY_REPLIES = 20

/** Where the replies begin that are read with a page: those to the newest comment come first. */
export const earlyReplyKey = (root: number, place = 0): string =>
  `EARLY#${padNumber(Number.MAX_SAFE_INTEGER - root)}#${padPlace(place)}`

const replyKey = (root: number, place: number) =>
  place <= EARLY_REPLIES ? earlyReplyKey(root, place) : `LATER#${padNumber(root)}#${padPlace(place)}`
