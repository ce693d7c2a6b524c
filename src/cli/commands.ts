import { authCommands } from './auth-commands.ts'
import { importCommands } from './import-commands.ts'
import { packageCommands } from './package-commands.ts'
import { type Command, CONFIG_OPTIONS, type Option } from './command.ts'

const USERNAME: Option = { type: 'string', value: 'NAME', help: 'user name', required: true }

const PASSWORD = 'generated and printed if omitted, else seen by other users of the machine while this runs'

const RUNNER_SCOPE: Option = {
  type: 'string',
  value: 'OWNER[/REPOSITORY]',
  help: 'whose jobs the runner takes; those of the whole server if omitted',
}

const OIDC_OPTIONS: Readonly<Record<string, Option>> = {
  'client-secret': {
    type: 'string',
    value: 'SECRET',
    help: 'secret of the client; other users of the machine can see it while this runs',
  },
  'client-secret-file': { type: 'string', value: 'FILE', help: 'file with that secret' },
  registration: { type: 'string', value: 'RULE', help: 'who gets a new account: off, on or domains' },
  settings: { type: 'string', value: 'FILE', help: 'JSON with further members of oidc, as in the API' },
  active: { type: 'boolean', help: 'users can sign in with it; --no-active: they cannot' },
  ...CONFIG_OPTIONS,
}

/** All commands of `ingot`. */
export const commands: readonly Command[] = [
  {
    words: 'serve',
    summary: 'Run the server',
    options: {
      host: { type: 'string', value: 'ADDRESS', help: 'address to listen on (server.host)', setting: 'server.host' },
      port: {
        type: 'string',
        short: 'p',
        value: 'PORT',
        help: 'port to listen on, 0 for a free one (server.port)',
        setting: 'server.port',
      },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    words: 'admin user create',
    summary: 'Create a user account',
    options: {
      username: USERNAME,
      email: { type: 'string', value: 'ADDRESS', help: 'e-mail address', required: true },
      password: { type: 'string', value: 'TEXT', help: `password; ${PASSWORD}` },
      admin: { type: 'boolean', help: 'create the user as a site administrator' },
      'must-change-password': {
        type: 'boolean',
        help: 'require the user to choose a new password at the first sign-in',
      },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-user.ts')).createUser,
  },
  {
    words: 'admin user change-password',
    summary: "Change a user's password",
    options: {
      username: USERNAME,
      password: { type: 'string', value: 'TEXT', help: `new password; ${PASSWORD}` },
      'must-change-password': {
        type: 'boolean',
        help: 'require the user to choose another password at the next sign-in',
      },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-user.ts')).changePassword,
  },
  {
    words: 'admin user list',
    summary: 'List user accounts: id, name, e-mail, role, state; separated by tabs',
    options: { ...CONFIG_OPTIONS, admin: { type: 'boolean', help: 'site administrators only' } },
    load: async () => (await import('./admin-user.ts')).listUsers,
  },
  {
    words: 'admin user two-factor',
    summary: 'Print whether two-factor authentication of a user is on, or disable it',
    options: {
      username: USERNAME,
      disable: { type: 'boolean', help: 'disable it, for users who lost their device and recovery codes' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-user.ts')).twoFactor,
  },
  {
    words: 'admin user delete',
    summary: 'Delete a user account',
    options: {
      username: USERNAME,
      purge: {
        type: 'boolean',
        help: 'delete their repositories too, and organizations of which they are the last owner',
      },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-user.ts')).deleteUser,
  },
  {
    words: 'admin badge create',
    summary: 'Create a badge that administrators can give to users',
    options: {
      slug: { type: 'string', value: 'SLUG', help: 'short name: letters, digits, - and _', required: true },
      description: { type: 'string', value: 'TEXT', help: 'description' },
      image: { type: 'string', value: 'URL', help: 'URL of the picture' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-badge.ts')).createBadge,
  },
  {
    words: 'admin badge list',
    summary: 'List badges: slug, description, picture; separated by tabs',
    options: CONFIG_OPTIONS,
    load: async () => (await import('./admin-badge.ts')).listBadges,
  },
  {
    words: 'admin badge delete',
    summary: 'Delete a badge and take it from all users',
    options: { slug: { type: 'string', value: 'SLUG', help: 'short name', required: true }, ...CONFIG_OPTIONS },
    load: async () => (await import('./admin-badge.ts')).deleteBadge,
  },
  {
    words: 'admin token create',
    summary: 'Create an access token and print it',
    options: {
      username: USERNAME,
      name: { type: 'string', value: 'NAME', help: 'name of the token', default: 'cli' },
      scopes: {
        type: 'string',
        value: 'LIST',
        help: 'comma list such as read:user,write:repository, or all',
        required: true,
      },
      expires: {
        type: 'string',
        value: 'WHEN',
        help: 'expiry: 30d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z; never if omitted',
      },
      repositories: {
        type: 'string',
        value: 'LIST',
        help: 'comma list of the only repositories the token can access, as owner/name',
      },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-token.ts')).createToken,
  },
  {
    words: 'admin actions token',
    summary: 'Print the token with which runners register',
    options: {
      scope: RUNNER_SCOPE,
      reset: { type: 'boolean', help: 'make a new one; the one before becomes invalid' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-actions.ts')).runnerToken,
  },
  {
    words: 'admin actions register',
    summary: 'Register a runner by a secret that it has already, and print its UUID',
    options: {
      secret: { type: 'string', value: 'HEX', help: '40 hexadecimal digits, the token of the runner', required: true },
      name: { type: 'string', value: 'NAME', help: 'name of the runner', default: 'runner' },
      labels: { type: 'string', value: 'LIST', help: 'comma list; the runner declares its labels when it starts' },
      ephemeral: { type: 'boolean', help: 'delete it after one job' },
      scope: RUNNER_SCOPE,
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-actions.ts')).registerRunner,
  },
  ...authCommands,
  {
    words: 'admin auth add-oidc',
    summary: 'Add a provider of OpenID Connect or OAuth2 to sign in with',
    options: {
      name: { type: 'string', value: 'NAME', help: 'name on the sign-in page', required: true },
      issuer: { type: 'string', value: 'URL', help: 'address of the provider', required: true },
      'client-id': { type: 'string', value: 'ID', help: 'as the provider calls this server', required: true },
      ...OIDC_OPTIONS,
    },
    load: async () => (await import('./admin-auth-oidc.ts')).addOidc,
  },
  {
    words: 'admin auth update-oidc',
    summary: 'Change a provider of OpenID Connect or OAuth2; omitted options do not change',
    options: {
      name: { type: 'string', value: 'NAME', help: 'name of the provider', required: true },
      'new-name': { type: 'string', value: 'NAME', help: 'another name' },
      issuer: { type: 'string', value: 'URL', help: 'address of the provider' },
      'client-id': { type: 'string', value: 'ID', help: 'as the provider calls this server' },
      ...OIDC_OPTIONS,
    },
    load: async () => (await import('./admin-auth-oidc.ts')).updateOidc,
  },
  ...importCommands,
  ...packageCommands,
  {
    words: 'admin hook dead',
    summary: 'List failed webhook deliveries: uuid, webhook, event, time, attempts, address, reason',
    options: CONFIG_OPTIONS,
    load: async () => (await import('./admin-hook.ts')).listDeadDeliveries,
  },
  {
    words: 'admin hook requeue',
    summary: 'Retry failed webhook deliveries',
    options: {
      uuid: { type: 'string', value: 'UUID', help: 'only this delivery; all if omitted' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-hook.ts')).requeueDeadDeliveries,
  },
  {
    words: 'admin audit',
    summary: 'Print the audit log as JSON, one entry per line, oldest first',
    options: {
      actor: { type: 'string', value: 'NAME', help: 'only entries of the account that had this name' },
      action: {
        type: 'string',
        value: 'ACTION',
        help: 'only this action, such as token.created, or this area, such as token',
      },
      target: { type: 'string', value: 'NAME', help: 'only entries about this target, such as alice or alice/project' },
      since: {
        type: 'string',
        value: 'TIME',
        help: 'only entries since this time: 2027-01-31 or 2027-01-31T12:00:00Z',
      },
      before: { type: 'string', value: 'TIME', help: 'only entries before this time' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-audit.ts')).printAudit,
  },
  {
    words: 'admin rotate-key',
    summary:
      'Encrypt every stored secret with a new key; works while the server runs, and continues an interrupted run',
    options: CONFIG_OPTIONS,
    load: async () => (await import('./admin-rotate-key.ts')).rotateSecretKey,
  },
  {
    words: 'migrate',
    summary: 'Migrate the database schema (the server does this at every start too)',
    options: {
      ...CONFIG_OPTIONS,
      check: { type: 'boolean', help: 'change nothing; fail if migrations are pending' },
    },
    load: async () => (await import('./migrate.ts')).migrateDatabase,
  },
  {
    words: 'doctor',
    summary: 'Check the database, every repository, and that they agree',
    options: {
      fix: { type: 'boolean', help: 'repair problems that are safe to repair; the server must be stopped' },
      quick: { type: 'boolean', help: 'check that all objects exist without reading them' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./doctor.ts')).runDoctor,
  },
  {
    words: 'backup',
    summary: 'Copy all data into a directory that can serve as a data directory; works while the server runs',
    options: {
      to: { type: 'string', value: 'DIR', help: 'empty or missing directory', required: true },
      bucket: { type: 'boolean', help: 'copy the files in the bucket too; --no-bucket omits them', default: true },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./backup.ts')).runBackup,
  },
  {
    words: 'restore',
    summary: 'Create a data directory from the continuous backup (section backup), as of a point in time',
    options: {
      to: { type: 'string', value: 'DIR', help: 'empty or missing directory' },
      at: { type: 'string', value: 'TIME', help: 'point in time, such as 2027-01-31T12:00:00Z; the newest if omitted' },
      list: { type: 'boolean', help: 'list the points in time in the backup, and change nothing' },
      from: { type: 'string', value: 'DIR', help: 'directory of the backup, instead of the configured destination' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./restore.ts')).runRestore,
  },
  {
    words: 'storage migrate',
    summary:
      'Copy all files into the bucket, or out of it; works while the server runs, and continues an interrupted run',
    options: {
      to: { type: 'string', value: 'KIND', help: 's3 or local', required: true },
      verify: {
        type: 'boolean',
        help: 'read every copy again and compare its SHA-256; --no-verify compares only sizes',
        default: true,
      },
      'delete-source': {
        type: 'boolean',
        help: 'delete each source file after it was copied; storage.kind must be KIND already',
      },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./storage.ts')).migrateStorage,
  },
  {
    words: 'config check',
    summary: 'Check the configuration',
    options: CONFIG_OPTIONS,
    load: async () => (await import('./config.ts')).checkConfig,
  },
  {
    words: 'config show',
    summary: 'Print the effective configuration as TOML, without secrets',
    options: CONFIG_OPTIONS,
    load: async () => (await import('./config.ts')).printConfig,
  },
  {
    words: 'version',
    summary: 'Print the versions of Ingot, Node and git',
    options: {},
    load: async () => (await import('./version.ts')).printVersion,
  },
]
