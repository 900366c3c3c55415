import { expect, test } from 'vitest'
import { front } from '../../deploy/edge.ts'
import { parameterFaults, parametersOf } from '../../deploy/readiness.ts'

const [KEY, EDGE] = ['/heritage-prod/secret-key', '/heritage-prod/edge-secret']
const { Resources } = front('heritage-prod', {
  domain: 'api.example.org',
  certificate: 'arn:aws:acm:us-east-1:000000000000:certificate/x',
  edge: true,
  secret: `ssm:${EDGE}`,
})
const Variables = { SECRET_KEY: `ssm:${KEY}`, EDGE_SECRET: `ssm:${EDGE}`, STAGE: 'prod' }
const wanted = parametersOf({
  Resources: {
    ...(Resources as Record<string, { Type: string; Properties: Record<string, unknown> }>),
    Records: { Type: 'AWS::Lambda::Function', Properties: { Environment: { Variables } } },
  },
})

test('the secret of the edge must be readable by CloudFormation, the others are encrypted', () => {
  expect(parameterFaults(wanted, [EDGE, KEY], [])).toEqual([
    `The parameter ${EDGE} is missing: aws ssm put-parameter --type String --name ${EDGE} --value ...`,
    `The parameter ${KEY} is missing: aws ssm put-parameter --type SecureString --name ${KEY} --value ...`,
  ])
})

test('a secret of the edge that is encrypted is told, with the two commands that mend it', () => {
  const found = [
    { Name: EDGE, Type: 'SecureString' },
    { Name: KEY, Type: 'SecureString' },
  ]
  expect(parameterFaults(wanted, [], found)).toEqual([
    `The parameter ${EDGE} must be of type String: aws ssm delete-parameter --name ${EDGE}; aws ssm put-parameter --type String --name ${EDGE} --value ...`,
  ])
  expect(parameterFaults(wanted, [], [{ Name: EDGE, Type: 'String' }, ...found.slice(1)])).toEqual([])
})
