import type { Stage } from './stages.ts'

type Resource = { Type?: string; Properties: object; DependsOn?: string }

/**
 * Copies of the table and the bucket outside of the stack's account or region, as far as the file of the stage asks for them: a backup of
 * both every night, copied into another vault, and each file copied into another bucket within minutes.
 */
export function copies(
  service: string,
  { vault, vaultDays, bucket, account }: Stage['copies'],
): {
  Resources: Record<string, Resource>
} {
  return {
    Resources: {
      ...(vault && nightlyPlan(service, vault, vaultDays)),
      ...(bucket && replicationOf(service, bucket, account)),
    },
  }
}

const table = { 'Fn::GetAtt': ['Table', 'Arn'] }
const files = { 'Fn::GetAtt': ['Bucket', 'Arn'] }
const managedPolicy = (name: string) => ({ 'Fn::Sub': `arn:\${AWS::Partition}:iam::aws:policy/${name}` })
const taker = (service: string) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: { Service: [`${service}.amazonaws.com`] }, Action: ['sts:AssumeRole'] }],
})

/** A plan of AWS Backup. It begins at 20:45 UTC, after the exporter. Copies are kept for `days` days, the originals for a week. */
const nightlyPlan = (service: string, vault: string, days: number): Record<string, Resource> => ({
  Vault: { Type: 'AWS::Backup::BackupVault', Properties: { BackupVaultName: service } },
  BackupRole: {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: taker('backup'),
      // AWS's own policies: what AWS Backup asks of a table and a bucket changes with the service.
      ManagedPolicyArns: [
        managedPolicy('service-role/AWSBackupServiceRolePolicyForBackup'),
        managedPolicy('service-role/AWSBackupServiceRolePolicyForRestores'),
        managedPolicy('AWSBackupServiceRolePolicyForS3Backup'),
        managedPolicy('AWSBackupServiceRolePolicyForS3Restore'),
      ],
    },
  },
  BackupPlan: {
    Type: 'AWS::Backup::BackupPlan',
    Properties: {
      BackupPlan: {
        BackupPlanName: service,
        BackupPlanRule: [
          {
            RuleName: 'nightly',
            TargetBackupVault: { Ref: 'Vault' },
            ScheduleExpression: 'cron(45 20 * * ? *)',
            Lifecycle: { DeleteAfterDays: 7 },
            CopyActions: [{ DestinationBackupVaultArn: vault, Lifecycle: { DeleteAfterDays: days } }],
          },
        ],
      },
    },
  },
  BackupSelection: {
    Type: 'AWS::Backup::BackupSelection',
    Properties: {
      BackupPlanId: { Ref: 'BackupPlan' },
      BackupSelection: {
        SelectionName: service,
        IamRoleArn: { 'Fn::GetAtt': ['BackupRole', 'Arn'] },
        Resources: [table, files],
      },
    },
  },
})

/** The ARN of the bucket, from its name: a reference would make a circle of bucket and role. */
const ofFiles = (service: string, rest = '') => ({
  'Fn::Sub': `arn:\${AWS::Partition}:s3:::${service}-files-\${AWS::AccountId}${rest}`,
})

/** S3 copies each new version. It copies no deletion, so whoever deletes here deletes nothing there. */
const replicationOf = (service: string, bucket: string, account: string): Record<string, Resource> => ({
  CopyRole: {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: taker('s3'),
      Policies: [
        {
          PolicyName: `${service}-copies`,
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [
              {
                Effect: 'Allow',
                Action: ['s3:GetReplicationConfiguration', 's3:ListBucket'],
                Resource: [ofFiles(service)],
              },
              {
                Effect: 'Allow',
                Action: ['s3:GetObjectVersionForReplication', 's3:GetObjectVersionAcl', 's3:GetObjectVersionTagging'],
                Resource: [ofFiles(service, '/*')],
              },
              {
                Effect: 'Allow',
                Action: ['s3:ReplicateObject', 's3:ReplicateTags', 's3:ObjectOwnerOverrideToBucketOwner'],
                Resource: [`${bucket}/*`],
              },
            ],
          },
        },
      ],
    },
  },
  // The other properties of the bucket are in serverless.yml.
  Bucket: {
    Properties: {
      ReplicationConfiguration: {
        Role: { 'Fn::GetAtt': ['CopyRole', 'Arn'] },
        Rules: [
          {
            Id: 'copies',
            Status: 'Enabled',
            Priority: 1,
            Filter: { Prefix: '' },
            DeleteMarkerReplication: { Status: 'Disabled' },
            Destination: {
              Bucket: bucket,
              ...(account && { Account: account, AccessControlTranslation: { Owner: 'Destination' } }),
            },
          },
        ],
      },
    },
  },
})
