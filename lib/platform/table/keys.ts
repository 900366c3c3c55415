import { addressOf, packOf } from '../../base/ids/address.ts'
import { engineKeys, type Key, padNumber, padPlace } from '../../engines/table/index.ts'
import './lists.ts'

/**
 * All keys of the table. The engines make the keys of two-phase commits, counters, locks, sequences, loose files and the change log of
 * search. The list contains them, too.
 *
 *   access pattern                                              index             pk                                    sk
 *   one record with its claims, by contribution                 table             ENTITY#<id>                           HEAD, HEAD#CLAIMS#<pack>
 *   events, deities and guthis that name the record             table             ENTITY#<id>                           HEAD#LINK#<other>#<relation>
 *   the whole history of a record                               table             ENTITY#<id>                           REVISION#, ACTIVITY#, DECISION#, FLAG#
 *   records of a kind, published or in one status               gsi1              KIND#<kind>#<standing>                <created_at>#<id>
 *   records of every kind                                       gsi2              RECORD#<standing>                     <created_at>#<id>
 *   one contributor's records of every kind                     gsi3              OWNER#<user>#<standing>               <created_at>#<id>
 *   one contributor's records of a kind                         gsi4              OWNER#<user>#<kind>#<standing>        <created_at>#<id>
 *   records whose name begins with, or equals                   table             NAME#<kind>#<first character>         <folded name>#<id>
 *   a name that a new stub of a person takes                    table             STUB#<kind>#<folded name>#<user>      HEAD
 *   records, claims about none, with an identifier              table             IDENTIFIER#<kind>                     <identifier>#<id>
 *   look-alikes: records of one spelling or identity            table             ALIKE#<family of kinds>               <spelling or identity>#<id>
 *   records near a point                                        table             GRID#<kind>#<row>                     <column>#<id>
 *   records that name a record                                  table             RELATED#<id>                          <kind>#<id of the other>#<relation>
 *   records that name one which somebody else imported          table             NAMED#<id>                            <id of the other>; `!` counts them
 *   activities: all, by person, by type, by both                all four          ACTIVITY[#USER#<user>][#TYPE#<type>]  <created_at>#<id>
 *   decisions of one person                                     gsi3              DECISION#<user>                       <created_at>#<id>
 *   packs with claims of one status                             all four          ASSERTION#<audience>#<status>[#<part>]  <created_at>#<pack>
 *   flags: all, open or resolved, of one type                   gsi2, gsi3, gsi1  FLAG#<audience>[#TYPE#<type>][#RESOLVED#<bool>]  <created_at>#<id>
 *   withheld flags on the records of one person                 gsi4              FLAGGED#<user>                        <created_at>#<id>
 *   forks of a record and of its forks                          table             LINEAGE#<root>                        <created_at>#<id>
 *   data sources, clusters: one; all, newest first              table, gsi2       SOURCE#<id>, CLUSTER#<id>             HEAD
 *   clusters by kind, by lock, by both                          gsi1, gsi3, gsi4  CLUSTER[#KIND#<kind>][#LOCKED#<bool>]  <created_at>#<id>
 *   the graph of a scope; records hidden since it was made      table             GRAPH#<scope>                         HEAD, HIDDEN#<id>
 *   what the values of a record rest on                         table             FOOTINGS#<id>                         HEAD
 *   values that rest on a source, by a reference to it          table             RESTS#<reference>                     <audience>#<support>#<kind>#<record>
 *   whether a reference names a source in question              table             MARK#<reference>                      HEAD
 *   decisions on the batch of a source in question              table             RULED#<source>                        <record>
 *   sources in question; those being restored                   gsi3              SOURCE#IN_QUESTION, SOURCE#RESTORING  <at>#<id>
 *   whether two records are one; by status, newest first        table, gsi1, gsi2  CANDIDATE#<id>; CANDIDATE[#<status>]  HEAD; <created_at>#<id>
 *   open questions of that sort about a record                  table             ENTITY#<id>                           PAIR#<other>
 *   what was done to a cluster                                  table             CLUSTER#<id>                          AUDIT#<version>
 *   the cluster that a record is in                             table             ENTITY#<id>                           CLUSTER
 *   one user; by email; by username                             table             USER#<id>, EMAIL#<>, USERNAME#<>      HEAD
 *   the user whom an identity provider knows by a subject       table             SUBJECT#<issuer>#<subject>            HEAD
 *   all users, oldest first                                     gsi2              USER                                  <created_at>#<id>
 *   users by the beginning of name, username or address         table             NAME#user#<first>, NAME#user_email#<first>  <folded>#<id>
 *   users with a reviewer's role, newest first                  gsi1              ROLE                                  <created_at>#<id>
 *   one application to review                                   table             APPLICATION#<id>                      HEAD
 *   applications in one status, newest first                    gsi1              APPLICATION#<status>                  <1 if pending>#<created_at>#<id>
 *   one notification of a user                                  table             NOTIFICATION#<user>                   <id>
 *   notifications of a user; of one type                        gsi3, gsi4        NOTIFICATION#<user>[#<type>]          <id>
 *   notifications that are not marked as read singly            gsi2              NOTIFICATION#<user>#UNREAD            <ordinal>
 *   the last notification up to which a user has read all       table             INBOX#<user>                          HEAD
 *   announcements to all reviewers; their end                   table             ANNOUNCED#LOG, ANNOUNCED              <id>, HEAD
 *   announcements of one type                                   gsi4              ANNOUNCED#TYPE#<type>                 <id>
 *   the announcement of an event, so that it is made once       table             ANNOUNCED#OF#<notice>#<event>         HEAD
 *   an announcement that a user has read singly                 table             INBOX#<user>                          READ#<id>
 *   reviewers who want letters, by last announcement sent       gsi4              INBOX#REVIEWERS                       <id>#<user>
 *   users whose letters are due, by time                        gsi2              INBOX#DUE                             <moment>#<user>
 *   the letter settings of a user                               table             LETTERS#<user>                        HEAD
 *   accounts that are leaving, by time                          table, gsi2       DEPARTURE#<user>; DEPARTURE           HEAD; <asked_at>#<user>
 *   the file with a person's data; files that wait to be made   table, gsi2       ACCOUNT_EXPORT#<user>; ACCOUNT_EXPORT  HEAD; <asked_at>#<user>
 *   letters about accounts that wait to be sent, by time        table, gsi2       LETTER#<id>; LETTERS#ACCOUNT          HEAD; <moment>#<id>
 *   users who wait for the confirmation of their address        gsi2              LETTERS#CONFIRM                       <moment>#<user>
 *   comments of a thread, newest first                          table             THREAD#<record or project>            ROOT#<number>
 *   first replies, those to the newest comment first            table             THREAD#<record or project>            EARLY#<number of the root, counted down>#<place>
 *   further replies to a comment                                table             THREAD#<record or project>            LATER#<number of the root>#<place>
 *   all replies to a comment, oldest first                      gsi4              REPLIES#<number of the root>          <place>
 *   a thread's comments and replies, newest first               gsi1              COMMENTS#<record or project>          <number>
 *   one person's comments on records, by standing               gsi3              COMMENTER#<user>#<standing>           <number>
 *   the thread and place of a comment                           table             COMMENT#<number>                      HEAD
 *   reactions of a user in a thread; sums of the thread         table             REACTIONS#<record or project>         <user>, TOTALS
 *   one submission; by its short id; all short ids              table             SUBMISSION#<number>; SUBMISSION_ID    HEAD; <submission_id>
 *   versions and moderation of a submission                     table             SUBMISSION#<number>                   VERSION#<number>, MODERATION
 *   submissions: all, by status, by person, by both             all four          SUBMISSION[#USER#<user>][#STATUS#<status>]  <created_at>#<number>
 *   one suggestion                                              table             SUGGESTION#<number>                   HEAD
 *   suggestions: all, of a submission, by a person              gsi2, gsi1, gsi3  SUGGESTION[#OF#<number>][#BY#<user>]  <number>
 *   the queue entries of a waiting record                       table             ENTITY#<id>                           QUEUE#URGENCY, QUEUE#AGE
 *   waiting records, by list and age, most urgent first         all four          QUEUE#<list>[#IN#<category>]#<age>    <order>#<flags>#<created_at>#<id>
 *   waiting records, by list, by time                           gsi1, gsi3        QUEUE#<list>#created                  <created_at>#<id>
 *   waiting records by the time of their next age               gsi4              QUEUE#due                             <moment>#<id>
 *   the reviewer who holds a waiting record                     table             ENTITY#<id>                           LEASE
 *   one proposal for the schema; its YAML, its steps            table             EXTENSION#<id>                        HEAD, TEXT, STEP#<number>
 *   proposals for the schema: all, of a user; one definition    gsi2, gsi3; table  EXTENSION[#OF#<user>]; EXTENSION_CLAIM#<name>  <created_at>#<id>; HEAD
 *   one proposal on records, its steps; what it claims          table             PROPOSAL#<id>; PROPOSAL_CLAIM#<name>  HEAD, STEP#<number>; HEAD
 *   proposals of a sort: all, by status, of a user              gsi2, gsi1, gsi3  PROPOSAL#<sort>[#OF#<user>][#STATUS#<status>]  <created_at>#<id>
 *   a link to another collection; an alert about one             table             RECONCILED#<id>; ALERT#<id>           HEAD
 *   links: all, to one collection; by their next question       gsi2, gsi1; gsi3  RECONCILED[#<collection>]; RECONCILED_DUE  <created_at>#<id>; <due>#<id>
 *   alerts: all, by status                                      gsi2, gsi1        ALERT[#<status>]                      <created_at>#<id>
 *   one scanned document; what people said of it; one in parts  table             SCAN#<id>; PARTED#<id>                HEAD, REVIEW; HEAD
 *   scanned documents of a user, of one status; being read      gsi3, gsi4; gsi2  SCAN#OF#<user>[#<status>]; SCAN#READING  <created_at>#<id>; <since>#<id>
 *   how often a record was passed on                            table             SHARES#<record>                       HEAD
 *   one note of a visitor; its text                             table             NOTE#<id>                             HEAD, TEXT
 *   notes: all, by state, by type; with contacts, by erasure    gsi2, gsi1, gsi3; gsi4  NOTE[#STATE#<state>][#TYPE#<type>]; NOTE#CONTACTS  <created_at>#<id>; <until>#<id>
 *   notes by the start of a word; a text that was sent lately   table             WORD#note; NOTE_SENT#<digest>         <word>#<id>; HEAD
 *   one organization; its members                              table             ORGANIZATION#<id>                     HEAD; MEMBER#<user>
 *   organizations by name, by age                               gsi1, gsi2        ORGANIZATION                          <folded name>#<id>, <created_at>#<id>
 *   members of an organization; organizations of a user         gsi1, gsi3        ORGANIZATION#MEMBERS#<id>; ORGANIZATION#OF#<user>  <rank>#<joined_at>#<user>; <joined_at>#<id>
 *   the organization that has a name; by the start of a word    table             ORGANIZATION_NAME#<folded name>; WORD#organization  HEAD; <word>#<id>
 *   one project with its assets and linked records              table             PROJECT#<id>                          ASSET#<id>, ENTITY#<record>, HEAD
 *   the project that has a slug                                 table             SLUG#<slug>                           HEAD
 *   activities in a project, newest first                       table             PROJECT#<id>                          ACTIVITY#<number>
 *   a project as it was before a merge                          table             PROJECT#<id>                          SNAPSHOT#<created_at>#<id>
 *   projects by class, owner and state, four orders             all four          PROJECT#<class>[#OWNER#<user>][#<state>]#<order>  <time>#<id>
 *   the lease of the merge of a project                         table             PROJECT#<id>                          MERGING
 *   merges and rollbacks in the background                      every             MERGING                               <started_at>#<id>
 *   the progress of a merge in one part                         table             MERGE#<id>                            PART#<number>
 *   the folder of a merge in the bucket, until it is checked    table, gsi1       MERGE#<id>; MERGE#FOLDER              HEAD; <until>#<id>
 *   loose files of the bucket, by the time of deletion          table, gsi1       LOOSE#<object>; LOOSE                 HEAD; <until>#<object>
 *   list places and members of a project                        table             PROJECT#<id>                          PLACE#<order>, MEMBER#<user>
 *   hidden projects of others that a user works on              all four          PROJECT#MEMBER#<user>#<class>#<order>  <time>#<id>
 *   projects by the beginning of a word                         table             WORD#project                          <word>#<id>
 *   an upload that is not an asset yet                          table             PROJECT#<id>                          UPLOAD#<id>
 *   uploads by when they expire                                 gsi1              UPLOAD                                <until>#<id>
 *   deleted projects with files, by time of deletion            gsi1              DELETED                               <deleted_at>#<id>
 *   the text of an asset, for search                            table             PROJECT#<id>                          TEXT#<id>
 *   the asset of a number of older clients                      table             MEDIA#<number>                        HEAD
 *   assets whose text is being read, by start                   gsi2              OCR                                   <since>#<id>
 *   one file of a picture; files without a record, by deletion  table, gsi1       PICTURE#<id>; PICTURE                 HEAD; <until>#<id>
 *   one import; a row that has made a record; what is noted of it  table           IMPORT#<id>                           HEAD, ROW#<number>, JOB
 *   imports of a user, newest first                             gsi3              IMPORT#OF#<user>                      <created_at>#<id>
 *   imports at work, by start                                   gsi2              IMPORT#AT_WORK                        <since>#<id>
 *   batches whose rows wait for review                          gsi1              IMPORT#BATCH                          <created_at>#<id>
 *   imports with files, by the deletion of the files            gsi4              IMPORT#FILES                          <until>#<id>
 *   waiting records of a batch, in the order of its rows        gsi1              BATCH#<import>                        <row>#<id>
 *   a mapping that a user has saved                             table             IMPORTER#<user>                       MAPPING#<name>
 *   the reply to a request with an Idempotency-Key              table             REPLY#<user>#<key>                    HEAD
 *   the runs of the exporter                                    table             EXPORTS                               HEAD
 *   one delivery to the review webhook                          table             DELIVERY#<id>                         HEAD
 *   one hook; hooks of a user; all hooks                        table, gsi3, gsi2  HOOK#<id>                             HEAD; <created_at>#<id>
 *   what a user watches; when their next bulletin is due          table             WATCH#<user>                          ID#<watch>, HEAD
 *   people who watch something, by the time of their bulletin     gsi2              WATCHER                               <moment>#<user>
 *   how many watch a subject; its last change; its changes      table             WATCHED#<subject>                     HEAD, LAST, CHANGE#<number>
 *   the last change that was noted under its subjects           table             WATCHED                               HEAD
 *   deliveries to one hook, newest first                        gsi3              DELIVERY#OF#<hook>                    <created_at>#<id>
 *   waiting deliveries, by time; deliveries given up            gsi2              DELIVERY#waiting, DELIVERY#dead       <moment>#<id>
 *   a two-phase commit, its parts                               table             LARGE#<id>                            HEAD, PART#<number>
 *   two-phase commits that are not settled                      every             LARGE                                 <created_at>#<id>
 *   the before-image of an item in an open commit               table             STAGED#<id>#<pk>                      <sk>
 *   exact sizes of lists, several lists in one item             table             COUNT#<group>#<shard>                 HEAD, <kind>
 *   the layout of the table, and the step under way             table             LAYOUT                                HEAD
 *   the holder of a lock                                        table             LOCK#<name>                           HEAD
 *   the next number of a sequence                               table             SEQUENCE#<name>                       HEAD
 *   how many workers took a change or a chore                   table             TAKES#<worker>                        <thing>
 *   the time up to which the projector applied changes          table             PROJECTOR                             HEAD
 *   an old change that the projector works on                   table             PROJECTOR                             LATE#<slot>
 *   parked changes: the projector could not apply them          table             PARKED                                <place in the stream>#<piece>
 *   hits in a throttle's window                                 table             RATE#<scope>#<who>                    <window>
 *   one sign-in with the tokens of its family                   table             TOKEN#session#<id>                    HEAD
 *   the sign-ins of a user, oldest first                        gsi3              SESSION#<user>                        <created_at>#<id>
 *   the userinfo of a provider for a token, by its hash         table             TOKEN#idp#<sha256>                    HEAD
 *   the change log of search; its end                           table             SEARCH#LOG, SEARCH                    <number>, HEAD
 *   the pointer to the snapshot of search                       table             SEARCH                                SNAPSHOT
 *   the models of doubt; decisions on the claims of a person      table             DOUBT#FOR#<scope>; DOUBT#OF#<user>    HEAD
 *   decisions on the claims of a source, by a reference to it     table             DOUBT#BY#<reference>                  HEAD
 *   a citation; its records, a hundred in a part                table             CITATION#<id>                         HEAD, PART#<number>
 *   the feed; its end                                           table             CHANGES#LOG, CHANGES                  <number>, HEAD
 *   the last entry of the feed about a record                   table             CHANGES#OF#<id>                       HEAD
 *   records of a kind by their last change                      table             CHANGES#NOW#<kind>                    <time>#<number>
 *   the figures of a person on the boards                       table             BOARD#USER#<user>                     HEAD
 *   a board, or an institution's part, best first               table             BOARD#LIST#<board>[#IN#<institution>]  <points down>#<then down>#<username>#<user>
 *   numbers of people by points, as a tree                      table             BOARD#TREE#<board>[#IN#<institution>]  N<first digits of the points>
 *   the tree at the end of a month; whether it is complete      table             BOARD#TREE#<board>@<month>            N<first digits of the points>, WHOLE
 *   the sums over all people                                    table             BOARD#TOTALS                          <shard>
 *   the progress of the sweeper in recounting                   table             BOARD#SWEEP                           HEAD
 *   institutions of the people on a board                       table             BOARD#INSTITUTIONS                    <institution>
 *   versions of the sorts of cached answers                     table             VERSIONS                              HEAD
 *   a cached answer, by prefix, sort, version and key           table             CACHE#<place>                         HEAD
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
  /** The pack of a claim, by the claim's id alone: it contains the address of the record and of the pack. */
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
  /** Partitioned by the first character of the name, so that the names of a kind are spread over many partitions. */
  name: (kind: string, folded: string, record: string): Key => ({
    pk: `NAME#${kind}#${[...folded][0] ?? ''}`,
    sk: `${folded}#${record}`,
  }),
  stub: (kind: string, folded: string, maker = ''): Key => ({ pk: `STUB#${kind}#${folded}#${maker}`, sk: HEAD }),
  identifier: (kind: string, identifier: string, record: string): Key => ({
    pk: `IDENTIFIER#${kind}`,
    sk: `${identifier}#${record}`,
  }),
  /** Partitioned by the first character of the trait, like names. */
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
  naming: (to: string, from: string): Key => ({ pk: `NAMED#${to}`, sk: from }),
  /** The register of these namings. It sorts before all of them. */
  namings: (to: string): Key => ({ pk: `NAMED#${to}`, sk: '!' }),
  source: (id: string): Key => ({ pk: `SOURCE#${id}`, sk: HEAD }),
  footings: (record: string): Key => ({ pk: `FOOTINGS#${record}`, sk: HEAD }),
  dependent: (reference: string, at: string): Key => ({ pk: `RESTS#${reference}`, sk: at }),
  sourceMark: (reference: string): Key => ({ pk: `MARK#${reference}`, sk: HEAD }),
  sourceRuling: (source: string, record: string): Key => ({ pk: `RULED#${source}`, sk: record }),
  cluster: (id: string): Key => ({ pk: `CLUSTER#${id}`, sk: HEAD }),
  clusterEvent: (id: string, version: number): Key => ({ pk: `CLUSTER#${id}`, sk: `AUDIT#${padPlace(version)}` }),
  graph: (scope: string): Key => ({ pk: `GRAPH#${scope}`, sk: HEAD }),
  hiddenInGraph: (scope: string, record: string): Key => ({ pk: `GRAPH#${scope}`, sk: `HIDDEN#${record}` }),
  candidate: (id: string): Key => ({ pk: `CANDIDATE#${id}`, sk: HEAD }),
  pair: (record: string, other: string): Key => ({ pk: `ENTITY#${record}`, sk: `PAIR#${other}` }),
  /** All forks of one lineage lie together, oldest first. So each fork comes after the record that it is a fork of. */
  fork: (root: string, created_at: string, record: string): Key => ({
    pk: `LINEAGE#${root}`,
    sk: `${created_at}#${record}`,
  }),
  clustered: (record: string): Key => ({ pk: `ENTITY#${record}`, sk: 'CLUSTER' }),
  reactions: (thread: string, of: string): Key => ({ pk: `REACTIONS#${thread}`, sk: of }),
  layout: (): Key => ({ pk: 'LAYOUT', sk: HEAD }),
  user: (id: string): Key => ({ pk: `USER#${id}`, sk: HEAD }),
  email: (email: string): Key => ({ pk: `EMAIL#${email}`, sk: HEAD }),
  username: (username: string): Key => ({ pk: `USERNAME#${username}`, sk: HEAD }),
  subject: (issuer: string, subject: string): Key => ({ pk: `SUBJECT#${issuer}#${subject}`, sk: HEAD }),
  application: (id: string): Key => ({ pk: `APPLICATION#${id}`, sk: HEAD }),
  notification: (user: string, id: string): Key => ({ pk: `NOTIFICATION#${user}`, sk: id }),
  departure: (user: string): Key => ({ pk: `DEPARTURE#${user}`, sk: HEAD }),
  removals: (user: string) => ({ pk: `DEPARTURE#${user}`, prefix: 'REMOVED#' }),
  removal: (user: string, record: string): Key => ({ pk: `DEPARTURE#${user}`, sk: `REMOVED#${record}` }),
  accountExport: (user: string): Key => ({ pk: `ACCOUNT_EXPORT#${user}`, sk: HEAD }),
  accountLetter: (id: string): Key => ({ pk: `LETTER#${id}`, sk: HEAD }),
  letters: (user: string): Key => ({ pk: `LETTERS#${user}`, sk: HEAD }),
  inbox: (user: string): Key => ({ pk: `INBOX#${user}`, sk: HEAD }),
  announcement: (id: string): Key => ({ pk: 'ANNOUNCED#LOG', sk: id }),
  announcedEnd: { pk: 'ANNOUNCED', sk: HEAD } satisfies Key,
  announcedOf: (notice: string, event: string): Key => ({ pk: `ANNOUNCED#OF#${notice}#${event}`, sk: HEAD }),
  readMark: (user: string, id: string): Key => ({ pk: `INBOX#${user}`, sk: `READ#${id}` }),
  extension: (id: string): Key => ({ pk: `EXTENSION#${id}`, sk: HEAD }),
  extensionText: (id: string): Key => ({ pk: `EXTENSION#${id}`, sk: 'TEXT' }),
  extensionStep: (id: string, number: number): Key => ({ pk: `EXTENSION#${id}`, sk: `STEP#${padPlace(number)}` }),
  schemaOverlay: (): Key => ({ pk: 'SCHEMA_OVERLAY', sk: HEAD }),
  extensionClaim: (name: string): Key => ({ pk: `EXTENSION_CLAIM#${name}`, sk: HEAD }),
  proposal: (id: string): Key => ({ pk: `PROPOSAL#${id}`, sk: HEAD }),
  proposalStep: (id: string, number: number): Key => ({ pk: `PROPOSAL#${id}`, sk: `STEP#${padPlace(number)}` }),
  proposalClaim: (name: string): Key => ({ pk: `PROPOSAL_CLAIM#${name}`, sk: HEAD }),
  reconciledLink: (id: string): Key => ({ pk: `RECONCILED#${id}`, sk: HEAD }),
  curatorAlert: (id: string): Key => ({ pk: `ALERT#${id}`, sk: HEAD }),
  scan: (id: string): Key => ({ pk: `SCAN#${id}`, sk: HEAD }),
  scanReview: (id: string): Key => ({ pk: `SCAN#${id}`, sk: 'REVIEW' }),
  partedScan: (id: string): Key => ({ pk: `PARTED#${id}`, sk: HEAD }),
  shares: (record: string): Key => ({ pk: `SHARES#${record}`, sk: HEAD }),
  note: (id: string): Key => ({ pk: `NOTE#${id}`, sk: HEAD }),
  noteText: (id: string): Key => ({ pk: `NOTE#${id}`, sk: 'TEXT' }),
  noteWord: (word: string, id: string): Key => ({ pk: 'WORD#note', sk: `${word}#${id}` }),
  noteSent: (digest: string): Key => ({ pk: `NOTE_SENT#${digest}`, sk: HEAD }),
  organization: (id: string): Key => ({ pk: `ORGANIZATION#${id}`, sk: HEAD }),
  organizationMember: (id: string, user: string): Key => ({ pk: `ORGANIZATION#${id}`, sk: `MEMBER#${user}` }),
  organizationName: (folded: string): Key => ({ pk: `ORGANIZATION_NAME#${folded}`, sk: HEAD }),
  organizationWord: (word: string, id: string): Key => ({ pk: 'WORD#organization', sk: `${word}#${id}` }),
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
  importJob: (id: string): Key => ({ pk: `IMPORT#${id}`, sk: 'JOB' }),
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
  watch: (user: string, id: string): Key => ({ pk: `WATCH#${user}`, sk: `ID#${id}` }),
  watcher: (user: string): Key => ({ pk: `WATCH#${user}`, sk: HEAD }),
  watched: (subject: string): Key => ({ pk: `WATCHED#${subject}`, sk: HEAD }),
  watchedLast: (subject: string): Key => ({ pk: `WATCHED#${subject}`, sk: 'LAST' }),
  watchedChange: (subject: string, number: number): Key => ({
    pk: `WATCHED#${subject}`,
    sk: `CHANGE#${padNumber(number)}`,
  }),
  watchedThrough: (): Key => ({ pk: 'WATCHED', sk: HEAD }),
  exportRun: (): Key => ({ pk: 'EXPORTS', sk: HEAD }),
  progress: (): Key => ({ pk: 'PROJECTOR', sk: HEAD }),
  lateness: (slot: number): Key => ({ pk: 'PROJECTOR', sk: `LATE#${slot}` }),
  parked: (change: string, piece: number): Key => ({ pk: 'PARKED', sk: `${change}#${String(piece).padStart(4, '0')}` }),
  rate: (scope: string, who: string, window: number): Key => ({ pk: `RATE#${scope}#${who}`, sk: String(window) }),
  doubtModel: (scope: string): Key => ({ pk: `DOUBT#FOR#${scope}`, sk: HEAD }),
  doubtTally: (user: string): Key => ({ pk: `DOUBT#OF#${user}`, sk: HEAD }),
  doubtSource: (reference: string): Key => ({ pk: `DOUBT#BY#${reference}`, sk: HEAD }),
  citation: (id: string): Key => ({ pk: `CITATION#${id}`, sk: HEAD }),
  citationPart: (id: string, number: number): Key => ({ pk: `CITATION#${id}`, sk: `PART#${padPlace(number)}` }),
  changesEnd: (): Key => ({ pk: 'CHANGES', sk: HEAD }),
  change: (number: number): Key => ({ pk: 'CHANGES#LOG', sk: padNumber(number) }),
  lastTold: (id: string): Key => ({ pk: `CHANGES#OF#${id}`, sk: HEAD }),
  /** Times and numbers rise together, so a reader can start at a time or at a number. */
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

/** The most replies to each comment that a page of comments contains. */
export const EARLY_REPLIES = 20

/**
 * The sort key of one of the first replies to a comment. Without `place` it is where these replies begin. Replies to the newest comment
 * sort first.
 */
export const earlyReplyKey = (root: number, place = 0): string =>
  `EARLY#${padNumber(Number.MAX_SAFE_INTEGER - root)}#${padPlace(place)}`

const replyKey = (root: number, place: number) =>
  place <= EARLY_REPLIES ? earlyReplyKey(root, place) : `LATER#${padNumber(root)}#${padPlace(place)}`
