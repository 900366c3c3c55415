import { addressOf } from '../domain/address.ts'

/**
 * Every key in the table, and nothing else.
 *
 *   access pattern                                    index       pk                              sk
 *   one record with its assertions                    table       ENTITY#<id>                     HEAD, HEAD#ASSERTION#<id>
 *   events, deities and guthis that name it             table       ENTITY#<id>                     HEAD#LINK#<other>#<relation>
 *   its whole history                                 table       ENTITY#<id>                     REVISION#, ACTIVITY#, DECISION#, FLAG#
 *   records of a kind, published or in one status     kind        KIND#<kind>#<standing>          <created_at>#<id>
 *   records of every kind                             every       RECORD#<standing>               <created_at>#<id>
 *   one contributor's records of every kind           owner       OWNER#<user>#<standing>         <created_at>#<id>
 *   one contributor's records of a kind               owner_kind  OWNER#<user>#<kind>#<standing>  <created_at>#<id>
 *   records whose name begins with, or equals         table       NAME#<kind>                     <folded name>#<id>
 *   a name that a new stub is taking right now        table       STUB#<kind>#<folded name>       HEAD
 *   records with an identifier of their source        table       IDENTIFIER#<kind>               <identifier>#<id>
 *   records near a point                              table       GRID#<kind>#<row>               <column>#<id>
 *   records that name a record                        table       RELATED#<id>                    <kind>#<id of the other>#<relation>
 *   activities: all, by person, by type, by both      every ...   ACTIVITY[#USER#<user>][#TYPE#<type>]   <created_at>#<id>
 *   decisions of one person                           owner       DECISION#<user>                 <created_at>#<id>
 *   assertions in one reconciliation status           every       ASSERTION#<status>              <created_at>#<id>
 *   flags: all, of one type, open or resolved, both   every ...   FLAG[#TYPE#<type>][#RESOLVED#<bool>]  <created_at>#<id>
 *   data sources, clusters: one; all, newest first    table, every  SOURCE#<id>, CLUSTER#<id>     HEAD
 *   clusters by kind, by lock, by both                kind, owner, owner_kind  CLUSTER[#KIND#<kind>][#LOCKED#<bool>]  <created_at>#<id>
 *   the cluster that a record is in                  table       ENTITY#<id>                     CLUSTER
 *   one user; by email; by username                   table       USER#<id>, EMAIL#<>, USERNAME#<>  HEAD
 *   all users, oldest first                           every       USER                            <created_at>#<id>
 *   users whose name, username or address begins so   table       NAME#user, NAME#user_email       <folded>#<id>
 *   users with a reviewer's role, newest first        kind        ROLE                            <created_at>#<id>
 *   one application to review                         table       APPLICATION#<id>                HEAD
 *   applications in one status, newest first          kind        APPLICATION#<status>            <1 if pending>#<created_at>#<id>
 *   one notification of a user                        table       NOTIFICATION#<user>             <id>
 *   one's notifications; of one type                  owner, owner_kind  NOTIFICATION#<user>[#<type>]  <id>
 *   one that has expired and is counted no more       table       NOTIFICATION#<user>             GONE#<id>
 *   how many of them are unread                       table       INBOX#<user>                    HEAD
 *   a waiting record's places in the queue            table       ENTITY#<id>                     QUEUE#URGENCY, QUEUE#CATEGORY, QUEUE#AGE
 *   what waits, by type, most urgent first            every, kind, owner, owner_kind  QUEUE#<type>[#IN#<category>]#<young|aged>  <order>#<flags>#<created_at>#<id>
 *   what waits, by status or by type, by time         every, kind, owner  QUEUE#<status or type>#created  <created_at>#<id>
 *   what passes into another age, by when             owner_kind  QUEUE#due                       <moment>#<id>
 *   who works on a waiting record right now           table       ENTITY#<id>                     LEASE
 *   exact size of any of these lists                  table       COUNT#<shard>                   <index pk>
 *   next number of a sequence                         table       SEQUENCE#<name>                 HEAD
 *   until when the projector has taken in changes     table       PROJECTOR                       HEAD
 *   hits in a throttle's window                       table       RATE#<scope>#<who>              <window>
 *   one sign-in with the tokens of its family         table       TOKEN#session#<id>              HEAD
 *   what a provider said of a token, by its hash      table       TOKEN#idp#<sha256>              HEAD
 *   what search has learned, entry by entry; its end   table       SEARCH#LOG, SEARCH               <number>, HEAD
 *   which snapshot of search counts                   table       SEARCH                          SNAPSHOT
 */
export type Key = { pk: string; sk: string }

const HEAD = 'HEAD'
export const key = {
  head: (record: string): Key => ({ pk: `ENTITY#${record}`, sk: HEAD }),
  assertion: (record: string, id: string): Key => ({ pk: `ENTITY#${record}`, sk: `HEAD#ASSERTION#${id}` }),
  link: (to: string, from: string, relation: string): Key => ({
    pk: `ENTITY#${to}`,
    sk: `HEAD#LINK#${from}#${relation}`,
  }),
  /** An assertion by its id alone: it carries the record's address. */
  ofAssertion: (id: string): Key => key.assertion(addressOf(id)?.record ?? 'none', id),
  revision: (record: string, number: number): Key => ({
    pk: `ENTITY#${record}`,
    sk: `REVISION#${String(number).padStart(8, '0')}`,
  }),
  activity: (record: string, id: string): Key => ({ pk: `ENTITY#${record}`, sk: `ACTIVITY#${id}` }),
  decision: (record: string, id: string): Key => ({ pk: `ENTITY#${record}`, sk: `DECISION#${id}` }),
  queued: (record: string, order: 'URGENCY' | 'CATEGORY' | 'AGE'): Key => ({
    pk: `ENTITY#${record}`,
    sk: `QUEUE#${order}`,
  }),
  lease: (record: string): Key => ({ pk: `ENTITY#${record}`, sk: 'LEASE' }),
  flag: (record: string, id: string): Key => ({ pk: `ENTITY#${record}`, sk: `FLAG#${id}` }),
  name: (kind: string, folded: string, record: string): Key => ({ pk: `NAME#${kind}`, sk: `${folded}#${record}` }),
  stub: (kind: string, folded: string): Key => ({ pk: `STUB#${kind}#${folded}`, sk: HEAD }),
  identifier: (kind: string, identifier: string, record: string): Key => ({
    pk: `IDENTIFIER#${kind}`,
    sk: `${identifier}#${record}`,
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
  user: (id: string): Key => ({ pk: `USER#${id}`, sk: HEAD }),
  email: (email: string): Key => ({ pk: `EMAIL#${email}`, sk: HEAD }),
  username: (username: string): Key => ({ pk: `USERNAME#${username}`, sk: HEAD }),
  application: (id: string): Key => ({ pk: `APPLICATION#${id}`, sk: HEAD }),
  notification: (user: string, id: string): Key => ({ pk: `NOTIFICATION#${user}`, sk: id }),
  goneNotification: (user: string, id: string): Key => ({ pk: `NOTIFICATION#${user}`, sk: `GONE#${id}` }),
  inbox: (user: string): Key => ({ pk: `INBOX#${user}`, sk: HEAD }),
  count: (shard: number, partition: string): Key => ({ pk: `COUNT#${shard}`, sk: partition }),
  sequence: (name: string): Key => ({ pk: `SEQUENCE#${name}`, sk: HEAD }),
  progress: (): Key => ({ pk: 'PROJECTOR', sk: HEAD }),
  rate: (scope: string, who: string, window: number): Key => ({ pk: `RATE#${scope}#${who}`, sk: String(window) }),
  searchEntry: (number: number): Key => ({ pk: 'SEARCH#LOG', sk: String(number).padStart(12, '0') }),
  searchEnd: (): Key => ({ pk: 'SEARCH', sk: HEAD }),
  searchSnapshot: (): Key => ({ pk: 'SEARCH', sk: 'SNAPSHOT' }),
  searchRebuild: (): Key => ({ pk: 'SEARCH', sk: 'REBUILD' }),
  token: (what: string): Key => ({ pk: `TOKEN#${what}`, sk: HEAD }),
}

export const indexes = ['kind', 'every', 'owner', 'owner_kind'] as const
export type IndexName = (typeof indexes)[number]
