import { groupNames } from '../lib/platform/http/groups.ts'
import { functionId, liveArn } from './roles.ts'

type Resources = Record<string, { Type: string; Properties: object }>

/** What all functions share: one log group, kept for `days` days, and the role by which the gateway invokes them. */
export function gateway(service: string, days: number): { Resources: Resources } {
  const invoked = [...groupNames, 'dispatcher'].map((name) => liveArn(functionId(name)))
  return {
    Resources: {
      FunctionLogs: {
        Type: 'AWS::Logs::LogGroup',
        Properties: { LogGroupName: logGroup(service), RetentionInDays: days },
      },
      GatewayRole: {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: takenByGateway,
          Policies: [
            {
              PolicyName: `${service}-gateway`,
              PolicyDocument: {
                Version: '2012-10-17',
                Statement: [{ Effect: 'Allow', Action: ['lambda:InvokeFunction'], Resource: invoked }],
              },
            },
          ],
        },
      },
    },
  }
}

/** Who takes a role of API Gateway: its service, of HTTP APIs and of REST APIs. */
export const takenByGateway = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: ['apigateway.amazonaws.com'] }, Action: ['sts:AssumeRole'] }],
}

/** The name of the log group of all functions. Example: `/aws/lambda/heritage-prod`. */
export const logGroup = (service: string): string => `/aws/lambda/${service}`
