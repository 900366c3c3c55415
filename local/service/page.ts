import { personas, roleOf } from '../../deploy/stand-ins/people.ts'
import { WELCOME } from './welcome.ts'

type Running = {
  api: string
  idp: string
  s3: string
  mail: string
  dynamodb: string
  directory: string
  seconds: string
}

/** The text that `npm start` prints once it is ready: the first address is a page for people. */
export function startText({ api, idp, s3, mail, dynamodb, directory, seconds }: Running): string {
  return `
The service is ready (${seconds} s).

  Start here         ${api}${WELCOME}

  A list of records  ${api}/cidoc/structures/
  Health             ${api}/health/
  API document       ${api}/docs/
  Registry           ${api}/cidoc/schema/registry/
  Identity provider  ${idp}
  S3                 ${s3}
  Letters            ${mail}
  DynamoDB           ${dynamodb}

People (username: the part before the @; password: heritage-local)

${personas.map((it) => `  ${roleOf(it).padEnd(19)}curl -H 'X-Dev-User: ${it.email}' ${api}/api/user/info`).join('\n')}

A token from the identity provider

  curl -s ${idp}/token -d grant_type=password -d username=dev@heritage.test

Data and log lie in ${directory}. \`npm run reset\` empties it. A saved change under functions/, lib/ or api/ is live at once.
Ctrl-C ends everything.
`
}
