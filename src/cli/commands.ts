import { type Command, CONFIG_OPTIONS, type Option } from './command.ts'

const USERNAME: Option = { type: 'string', value: 'NAME', help: 'user name', required: true }

/** Everything `ingot` can do. */
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
    summary: 'Make a user account',
    options: {
      username: USERNAME,
      email: { type: 'string', value: 'ADDRESS', help: 'e-mail address', required: true },
      password: { type: 'string', value: 'TEXT', help: 'password; without it one is made and shown' },
      admin: { type: 'boolean', help: 'make the user a site administrator' },
      'must-change-password': { type: 'boolean', help: 'the user must choose a password before anything else' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-user.ts')).createUser,
  },
  {
    words: 'admin user change-password',
    summary: "Change a user's password",
    options: {
      username: USERNAME,
      password: { type: 'string', value: 'TEXT', help: 'new password; without it one is made and shown' },
      'must-change-password': { type: 'boolean', help: 'the user must choose another before anything else' },
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
    summary: 'Say whether signing in asks a user for one-time codes, or end it',
    options: {
      username: USERNAME,
      disable: { type: 'boolean', help: 'ask no more; for users who lost their device and recovery codes' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-user.ts')).twoFactor,
  },
  {
    words: 'admin user delete',
    summary: 'Delete a user account',
    options: {
      username: USERNAME,
      purge: { type: 'boolean', help: 'also what it owns: repositories, and organizations it is the last owner of' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-user.ts')).deleteUser,
  },
  {
    words: 'admin badge create',
    summary: 'Make a badge that administrators can give to users',
    options: {
      slug: { type: 'string', value: 'SLUG', help: 'short name: letters, digits, - and _', required: true },
      description: { type: 'string', value: 'TEXT', help: 'what it is for' },
      image: { type: 'string', value: 'URL', help: 'address of its picture' },
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
    summary: 'Delete a badge, from all users who have it too',
    options: { slug: { type: 'string', value: 'SLUG', help: 'short name', required: true }, ...CONFIG_OPTIONS },
    load: async () => (await import('./admin-badge.ts')).deleteBadge,
  },
  {
    words: 'admin token create',
    summary: 'Make an access token and print it',
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
        help: 'when it ends: 30d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z; never without it',
      },
      repositories: {
        type: 'string',
        value: 'LIST',
        help: 'comma list of the only repositories it may reach, as owner/name',
      },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-token.ts')).createToken,
  },
  {
    words: 'admin hook dead',
    summary: 'List deliveries of webhooks that were given up: uuid, webhook, event, time, attempts, address, reason',
    options: CONFIG_OPTIONS,
    load: async () => (await import('./admin-hook.ts')).listDeadDeliveries,
  },
  {
    words: 'admin hook requeue',
    summary: 'Try deliveries of webhooks again that were given up',
    options: {
      uuid: { type: 'string', value: 'UUID', help: 'only this one; all without it' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-hook.ts')).requeueDeadDeliveries,
  },
  {
    words: 'admin audit',
    summary: 'Print the audit log as JSON, one entry a line, oldest first',
    options: {
      actor: { type: 'string', value: 'NAME', help: 'only of the account that had this name' },
      action: { type: 'string', value: 'ACTION', help: 'only this action, such as token.created, or this area: token' },
      target: { type: 'string', value: 'NAME', help: 'only on what had this name, such as alice or alice/project' },
      since: { type: 'string', value: 'TIME', help: 'only from this time on: 2027-01-31 or 2027-01-31T12:00:00Z' },
      before: { type: 'string', value: 'TIME', help: 'only from before this time' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./admin-audit.ts')).printAudit,
  },
  {
    words: 'admin rotate-key',
    summary: 'Encrypt every stored secret with a new key; the server may run meanwhile, and a stopped run is continued',
    options: CONFIG_OPTIONS,
    load: async () => (await import('./admin-rotate-key.ts')).rotateSecretKey,
  },
  {
    words: 'migrate',
    summary: 'Bring the database schema up to date (the server does it at every start too)',
    options: {
      ...CONFIG_OPTIONS,
      check: { type: 'boolean', help: 'change nothing; fail when something is to be done' },
    },
    load: async () => (await import('./migrate.ts')).migrateDatabase,
  },
  {
    words: 'doctor',
    summary: 'Check the database and every repository, and each against the other',
    options: {
      fix: { type: 'boolean', help: 'repair what can be repaired safely; the server must be stopped' },
      quick: { type: 'boolean', help: 'look whether all objects are there without reading each' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./doctor.ts')).runDoctor,
  },
  {
    words: 'backup',
    summary: 'Copy everything into a directory that a server can be started on; the server may run meanwhile',
    options: {
      to: { type: 'string', value: 'DIR', help: 'a directory that is empty or not there yet', required: true },
      bucket: { type: 'boolean', help: 'copy the files of the bucket too; --no-bucket leaves them out', default: true },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./backup.ts')).runBackup,
  },
  {
    words: 'restore',
    summary: 'Make a data directory from the continuous backup (section backup), as it was at a moment',
    options: {
      to: { type: 'string', value: 'DIR', help: 'a directory that is empty or not there yet' },
      at: { type: 'string', value: 'TIME', help: 'the moment, such as 2027-01-31T12:00:00Z; the newest without it' },
      list: { type: 'boolean', help: 'print which moments the backup has, and change nothing' },
      from: { type: 'string', value: 'DIR', help: 'the directory of the backup, in place of the configured place' },
      ...CONFIG_OPTIONS,
    },
    load: async () => (await import('./restore.ts')).runRestore,
  },
  {
    words: 'storage migrate',
    summary:
      'Copy all files into the bucket, or out of it; the server may run meanwhile, and a stopped run is continued',
    options: {
      to: { type: 'string', value: 'KIND', help: 's3 or local', required: true },
      verify: {
        type: 'boolean',
        help: 'read every copy again and compare its SHA-256; --no-verify compares sizes only',
        default: true,
      },
      'delete-source': { type: 'boolean', help: 'delete each file where it was; storage.kind must be KIND already' },
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
    summary: 'Print the configuration in force as TOML, without secrets',
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
