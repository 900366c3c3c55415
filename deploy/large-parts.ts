import { createHash } from 'node:crypto'
import { contextName, passedHeaders, passedStatuses, REFUSED_IN, STORED_IN } from '../lib/platform/http/rest.ts'
import { takenByGateway } from './gateway.ts'
import { functionId, liveArn } from './roles.ts'
import type { Stage } from './stages.ts'

/**
 * A REST API that stores parts of scanned documents in the bucket. The dashboard sends 6 MiB at once: a gateway takes 10 MB, and a function behind
 * it no more than 4.4 MB. So no function gets the part.
 *
 * 1. The domain maps `/api/v1/data/ocr-chunk-uploads` to this API. It hands all requests but `append/` to the function `scans`, as the HTTP API does.
 * 2. At `append/` it asks `scans` as its authorizer, which sees the head of the request alone. `scans` decides all, and says where to store.
 * 3. It stores the body as it came, form and all: `parts/UPLOAD/PART`. What `scans` refuses goes to a folder where the role may not write.
 * 4. It answers what `scans` said. `complete/` takes the forms apart.
 */
export function largeParts({ largeParts, throttleRate, throttleBurst }: Settings): {
  Resources: Record<string, object>
} {
  if (!largeParts) return { Resources: {} }
  const deployment = `LargePartsDeployment${createHash('sha256').update(JSON.stringify(api)).digest('hex').slice(0, 8)}`
  return {
    Resources: {
      LargePartsRole: role,
      LargeParts: {
        Type: 'AWS::ApiGateway::RestApi',
        Properties: {
          Name: { 'Fn::Sub': `\${AWS::StackName}-large-parts` },
          EndpointConfiguration: { Types: ['REGIONAL'] },
          DisableExecuteApiEndpoint: true,
          Body: api,
        },
      },
      // A deployment is immutable. A changed API gets a new one under another id, and the stage moves to it.
      [deployment]: {
        Type: 'AWS::ApiGateway::Deployment',
        Properties: { RestApiId: { Ref: 'LargeParts' } },
      },
      LargePartsStage: {
        Type: 'AWS::ApiGateway::Stage',
        Properties: {
          RestApiId: { Ref: 'LargeParts' },
          DeploymentId: { Ref: deployment },
          StageName: 'live',
          MethodSettings: [
            {
              ResourcePath: '/*',
              HttpMethod: '*',
              ThrottlingRateLimit: throttleRate,
              ThrottlingBurstLimit: throttleBurst,
            },
          ],
        },
      },
      LargePartsMapping: {
        Type: 'AWS::ApiGatewayV2::ApiMapping',
        Properties: {
          ApiId: { Ref: 'LargeParts' },
          DomainName: { Ref: 'Domain' },
          Stage: { Ref: 'LargePartsStage' },
          ApiMappingKey: 'api/v1/data/ocr-chunk-uploads',
        },
      },
    },
  }
}

type Settings = Pick<Stage, 'largeParts' | 'throttleRate' | 'throttleBurst'>

/** The role of the REST API: it may store parts, and call `scans`. */
const role = {
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: takenByGateway,
    Policies: [
      {
        PolicyName: 'large-parts',
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            { Effect: 'Allow', Action: ['lambda:InvokeFunction'], Resource: [liveArn(functionId('scans'))] },
            { Effect: 'Allow', Action: ['s3:PutObject'], Resource: [objectsIn(STORED_IN)] },
            // No other statement allows this either; the denial says so on purpose. S3 stores nothing, and the client gets the refusal of `scans`.
            { Effect: 'Deny', Action: ['s3:PutObject'], Resource: [objectsIn(REFUSED_IN)] },
          ],
        },
      },
    ],
  },
}

function objectsIn(folder: string) {
  return { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['Bucket', 'Arn'] }, `/${folder}/*`]] }
}

const credentials = { 'Fn::GetAtt': ['LargePartsRole', 'Arn'] }
const scans = {
  'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:lambda:path/2015-03-31/functions/${liveArn(functionId('scans'))['Fn::Sub']}/invocations`,
}

/** Hands the request to `scans`, as the HTTP API does: CORS, methods and unknown paths are answered there. */
const handedOver = {
  'x-amazon-apigateway-any-method': {
    responses: {},
    'x-amazon-apigateway-integration': { type: 'aws_proxy', httpMethod: 'POST', uri: scans, credentials },
  },
}

/** Answers what `scans` said, with its status. The template sets the status from a list, since AWS takes a number only. */
const refused = [
  `#if($context.authorizer.folder == "${REFUSED_IN}")`,
  `#foreach($known in [${passedStatuses.join(', ')}])`,
  '#if("$known" == $context.authorizer.status)#set($context.responseOverride.status = $known)#end',
  '#end',
  '$util.base64Decode($context.authorizer.answer)',
  '#else',
  '{"detail":"The part could not be stored. Send it again."}',
  '#end',
].join('\n')
const stored = '$util.base64Decode($context.authorizer.answer)'

const headers = [...passedHeaders]
const answer = (statusCode: string, template: string) => ({
  statusCode,
  responseParameters: {
    'method.response.header.content-type': "'application/json'",
    ...Object.fromEntries(
      headers.map((name) => [`method.response.header.${name}`, `context.authorizer.${contextName(name)}`]),
    ),
  },
  // S3 answers nothing, or XML.
  responseTemplates: { 'application/json': template, 'application/xml': template },
})
const declared = {
  description: 'The answer of the function scans',
  headers: Object.fromEntries(['content-type', ...headers].map((name) => [name, { schema: { type: 'string' } }])),
}

const storing = {
  ...handedOver,
  post: {
    security: [{ scans: [] }],
    responses: { 200: declared, 503: declared },
    'x-amazon-apigateway-integration': {
      type: 'aws',
      httpMethod: 'PUT',
      uri: {
        'Fn::Sub': `arn:\${AWS::Partition}:apigateway:\${AWS::Region}:s3:path/\${Bucket}/{folder}/{upload}/{part}`,
      },
      credentials,
      timeoutInMillis: 29_000,
      requestParameters: Object.fromEntries(
        ['folder', 'upload', 'part'].map((name) => [`integration.request.path.${name}`, `context.authorizer.${name}`]),
      ),
      // The body goes on as it came.
      passthroughBehavior: 'when_no_match',
      responses: { '2\\d{2}': answer('200', stored), default: answer('503', refused) },
    },
  },
}

/** Refusals of the API itself, such as those of a body of more than 10 MB. */
const own = { responseTemplates: { 'application/json': '{"detail":$context.error.messageString}' } }

const api = {
  openapi: '3.0.1',
  info: { title: 'Parts of scanned documents', version: '1' },
  paths: {
    '/': handedOver,
    '/{proxy+}': handedOver,
    '/{id}/append': storing,
    // The same with a last slash, if the API takes that for an empty rest.
    '/{id}/append/{proxy+}': storing,
  },
  components: {
    securitySchemes: {
      scans: {
        type: 'apiKey',
        name: 'Unused',
        in: 'header',
        'x-amazon-apigateway-authtype': 'custom',
        'x-amazon-apigateway-authorizer': {
          type: 'request',
          authorizerUri: scans,
          authorizerCredentials: credentials,
          // No decision is cached. So no header is required, and `scans` itself answers requests without a token.
          authorizerResultTtlInSeconds: 0,
        },
      },
    },
  },
  'x-amazon-apigateway-binary-media-types': ['multipart/form-data'],
  'x-amazon-apigateway-gateway-responses': { DEFAULT_4XX: own, DEFAULT_5XX: own },
}
