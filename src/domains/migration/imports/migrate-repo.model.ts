import { Type, type Static } from '@sinclair/typebox'
import { MAX_USER_LIST } from './mapped-users.ts'

const MAX_CHANGES = 1_000

const Text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }))
const Part = (description: string) => Type.Optional(Type.Boolean({ description }))

export const MigrateRepoOptions = Type.Object(
  {
    clone_addr: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'HTTP, HTTPS or git address of the repository',
    }),
    repo_name: Type.String({ minLength: 1, maxLength: 100 }),
    repo_owner: Text(100, 'Owner of the new repository, else the caller'),
    uid: Type.Optional(Type.Integer({ description: 'Id of the owner; deprecated, use repo_owner' })),
    service: Text(
      100,
      'What serves the address: git, github, gitea, forgejo, gitlab, gogs, onedev, gitbucket, codebase or ' +
        'codecommit; others count as git',
    ),
    auth_username: Text(255, 'User name at the other server'),
    auth_password: Text(4096, 'Password at the other server'),
    auth_token: Text(4096, 'Access token of the other server; used unless a user name or password is given'),
    description: Text(2048, 'Of the new repository'),
    private: Type.Optional(Type.Boolean()),
    mirror: Type.Optional(Type.Boolean({ description: 'Follow the address from now on; git data and wiki only' })),
    mirror_interval: Text(100, 'Time between two syncs such as 8h30m0s; 0 is by hand only'),
    wiki: Part('The wiki too, when there is one'),
    labels: Part('For services other than git'),
    milestones: Part('For services other than git'),
    issues: Part('For services other than git'),
    pull_requests: Part('For services other than git'),
    releases: Part('For services other than git'),
    lfs: Type.Optional(Type.Boolean({ description: 'Large files; ignored where this server keeps none' })),
    lfs_endpoint: Text(2048, 'HTTP address of the large files, when not where the repository says'),
    users: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 100 }), {
        maxProperties: 10_000,
        description:
          'Names of accounts of this server by those of the service: they become the authors, reviewers and assignees ' +
          'of what is imported. Only for administrators',
      }),
    ),
    users_by_email: Part(
      'Also map accounts of the service that show an e-mail address to the accounts here that have confirmed it. Only ' +
        'for administrators',
    ),
    keep_assignees: Part(
      'Keep mapped assignees and reviewers who cannot read the repository yet, for access that is given after the ' +
        'import. Only for administrators',
    ),
    user_list: Text(
      MAX_USER_LIST,
      'The same as users, for more accounts than JSON may have values: a line for each, with the name at the service, ' +
        'a space and the name here',
    ),
    changes: Type.Optional(
      Type.Object(
        { numbers: Type.Array(Type.Integer({ minimum: 1 }), { maxItems: MAX_CHANGES }) },
        {
          description:
            'Bring changes into the repository with this name, a copy of an earlier import from gitea or forgejo: git ' +
            'data, the issues and pull requests with these numbers in place of those that are there, and releases whose ' +
            'tag has none. Only for administrators',
        },
      ),
    ),
    aws_access_key_id: Text(255, 'For codecommit'),
    aws_secret_access_key: Text(255, 'For codecommit'),
  },
  { $id: 'MigrateRepoOptions' },
)
export type MigrateRepoOptions = Static<typeof MigrateRepoOptions>
