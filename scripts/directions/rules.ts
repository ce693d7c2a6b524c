/** Which folder may import which, which file of a module may import which, and where a library or a word may stand. */

/** A layer is the longest of these prefixes that a file's path begins with; `may` lists the prefixes it may import. */
export interface Layer {
  readonly prefix: string
  readonly may: readonly string[]
  /** Why the rule is there; printed with every violation. */
  readonly because: string
}

/** The domains, in order: a domain may use an earlier one, through its door. */
export const domains = [
  'accounts',
  'repositories',
  'code',
  'issues',
  'pulls',
  'automation',
  'packages',
  'delivery',
  'migration',
  'operations',
  'transports',
]

const ENGINES = ['access', 'http', 'git', 'events', 'jobs', 'blobs', 'config', 'db', 'platform', 'streams'].map(
  (name) => `src/core/${name}/`,
)

export const layers: readonly Layer[] = [
  {
    prefix: 'src/main.ts',
    may: ['src/cli/', 'src/app/', 'src/core/config/', 'src/core/platform/'],
    because: 'the process only starts what others compose',
  },
  {
    prefix: 'src/app/modules.ts',
    may: ['src/app/', 'src/domains/', 'src/core/'],
    because: 'the ordered list of modules',
  },
  {
    prefix: 'src/app/',
    may: ['src/core/'],
    because: 'the composition uses modules only by the values they declare',
  },
  {
    prefix: 'src/cli/',
    may: ['src/app/', 'src/domains/', 'src/core/config/', 'src/core/db/', 'src/core/platform/', 'src/core/module.ts'],
    because: 'commands are thin files over the modules',
  },
  { prefix: 'src/domains/', may: ['src/core/'], because: 'a module stands on the engines and on earlier domains' },
  { prefix: 'src/core/module.ts', may: ENGINES, because: 'it names what every module may use' },
  {
    prefix: 'src/core/streams/',
    may: [...ENGINES, 'src/core/module.ts'],
    because: 'streams serve modules and know none',
  },
  {
    prefix: 'src/core/http/',
    may: ['src/core/access/', 'src/core/platform/'],
    because: 'the HTTP engine depends on callers and operations, not on modules or the database',
  },
  {
    prefix: 'src/core/access/',
    may: ['src/core/db/', 'src/core/platform/'],
    because: 'access decisions are below every transport',
  },
  { prefix: 'src/core/events/', may: ['src/core/db/', 'src/core/platform/'], because: 'the outbox is in the database' },
  { prefix: 'src/core/jobs/', may: ['src/core/db/', 'src/core/platform/'], because: 'the queue is in the database' },
  {
    prefix: 'src/core/git/',
    may: ['src/core/platform/'],
    because: 'git is independent of database, modules and HTTP',
  },
  {
    prefix: 'src/core/blobs/',
    may: ['src/core/platform/'],
    because: 'stored bytes are independent of database, modules and HTTP',
  },
  {
    prefix: 'src/core/db/',
    may: ['src/core/platform/', 'migrations/'],
    because: 'the data layer is independent of modules, HTTP and git',
  },
  { prefix: 'src/core/config/', may: ['src/core/platform/'], because: 'settings are a leaf' },
  { prefix: 'src/core/platform/', may: [], because: 'it has no business words and imports nothing of ours' },
]

/** Folders that are reached from outside by their index.ts alone. */
export const doors: readonly RegExp[] = [
  /^src\/core\/git\//,
  /^src\/core\/blobs\//,
  /^src\/core\/platform\/(?:outgoing|pgp)\//,
  /^src\/domains\/[^/]+\//,
  /^src\/core\/config\//,
  /^src\/core\/events\/(?!catalog\.ts)/,
  /^src\/core\/jobs\/(?!catalog\.ts)/,
]

/** By suffix: which files of its own module a file must not import. Types count too, unless `types` is true. */
export const roles: readonly {
  readonly from: RegExp
  readonly never: RegExp
  readonly types: boolean
  readonly because: string
}[] = [
  {
    from: /\.(?:operations|routes)\.ts$/,
    never: /\.(?:store|table|subscriber|projection|jobs?)\.ts$/,
    types: true,
    because: 'operations and routes call services, never stores',
  },
  {
    from: /\.(?:service|store|policy|projection|subscriber|jobs?)\.ts$/,
    never: /\.(?:operations|routes|guards|present)\.ts$/,
    types: false,
    because: 'rules and data are independent of HTTP',
  },
  {
    from: /\.store\.ts$/,
    never: /\.service\.ts$/,
    types: false,
    because: 'stores are below services',
  },
  {
    from: /\.present\.ts$/,
    never: /\.(?:service|store|operations|routes)\.ts$/,
    types: true,
    because: 'presenters are pure: entity and facts in, model out',
  },
  {
    from: /\.(?:policy|table|model)\.ts$/,
    never: /\.(?:service|store|present|operations|routes|guards)\.ts$/,
    types: true,
    because: 'decisions, rows and wire models import only types of their module',
  },
]

/** Where each library may be imported: prefixes or suffixes of files. */
export const importers: Readonly<Record<string, readonly RegExp[]>> = {
  'better-sqlite3': [/^src\/core\/db\/dialect\//],
  pg: [/^src\/core\/db\/dialect\//],
  kysely: [
    /^src\/core\/db\//,
    /^migrations\//,
    /\.store\.ts$/,
    /\.table\.ts$/,
    /^src\/core\/access\/visible-repos\.ts$/,
  ],
  'kysely/migration': [/^src\/core\/db\//, /^migrations\//],
  jimp: [/^src\/core\/platform\/images\//],
  openpgp: [/^src\/core\/platform\/pgp\//],
  fastify: [
    /^src\/core\/http\//,
    /\.routes\.ts$/,
    /^src\/app\//,
    /^src\/core\/module\.ts$/,
    // The transports other than the API, the registries of packages, and the pages on which users sign in.
    /^src\/domains\/(?:transports\/git-http|code\/lfs|packages\/registry|accounts\/sign-in)\//,
  ],
  ssh2: [/^src\/domains\/transports\/git-ssh\//],
  'node:child_process': [/^src\/core\/platform\//],
  '@aws-sdk/client-s3': [/^src\/core\/blobs\/s3\//],
  '@aws-sdk/s3-request-presigner': [/^src\/core\/blobs\/s3\//],
  '@smithy/signature-v4': [/^src\/domains\/migration\/imports\/sources\/codecommit\//],
  'acme-client': [/^src\/domains\/operations\/tls\//],
  '@peculiar/x509': [/^src\/domains\/operations\/tls\//],
  ldapts: [/^src\/domains\/accounts\/sign-in-sources\/ldap\//],
  '@simplewebauthn/server': [/^src\/domains\/accounts\/sign-in\/passkeys\//],
  '@simplewebauthn/server/helpers': [/^src\/domains\/accounts\/sign-in\/passkeys\//],
  'openid-client': [/^src\/domains\/accounts\/sign-in-sources\/oidc\//],
  undici: [/^src\/core\/platform\/outgoing\//],
}

/** Words that only some places may say. */
export const words: readonly {
  readonly pattern: RegExp
  readonly allowed: readonly RegExp[]
  readonly because: string
}[] = [
  {
    pattern: /\bprocess\.env\b/,
    allowed: [/^src\/core\/config\//, /^src\/main\.ts$/, /^src\/cli\//],
    because: 'settings come from the configuration',
  },
  {
    pattern: /(?<!^(?:export )?const \w+ = )\bdefineQuery\b[<(]/m,
    allowed: [],
    because: 'a query is defined at module level, so that it captures no values',
  },
  { pattern: /\bDate\.now\(\)/, allowed: [/^src\/core\/platform\/clock\.ts$/], because: 'time comes from the clock' },
  {
    pattern: /isPrivate\b[^\n]{0,40}\bvisibility [!=]== 'public'/,
    allowed: [/^src\/core\/access\//],
    because: 'whether anonymous viewers may see a repository is isPublicRepo of src/core/access/authorize.ts',
  },
  {
    pattern: /\bmissingScope\(/,
    // A draft is shown to those whose token could edit it.
    allowed: [/^src\/core\/access\//, /^src\/domains\/code\/releases\/release-access\.policy\.ts$/],
    because:
      'account state, scopes and sign-in are decided in one order by authorizeRequester of src/core/access/authorize.ts',
  },
  {
    pattern: /\bdecideAccountState\(/,
    // Who signs in by password or refreshes a token sends no request that could be admitted yet.
    allowed: [/^src\/core\/access\//, /^src\/domains\/accounts\/(?:sign-in|oauth)\//],
    because:
      'account state, scopes and sign-in are decided in one order by authorizeRequester of src/core/access/authorize.ts',
  },
]

/** Files whose modules keep state of the process, with the reason. */
export const processState: Readonly<Record<string, string>> = {
  'src/core/access/repo-access.ts':
    'memory of a pure function: at most one small map for each set of units and each mode',
  'src/core/git/wire/upload/v2-request.ts': 'derived from an immutable snapshot of refs, collected with it',
  'src/core/git/wire/receive/quick-connectivity.ts': 'derived from an immutable snapshot of refs, collected with it',
  'src/core/git/wire/repo.ts': 'derived from an immutable snapshot of refs, collected with it',
  'src/domains/repositories/markup/org.ts': 'derived from the lines of one document, collected with them',
  'src/domains/repositories/repos/repo-settings.ts': 'memory of a pure function of the stored text',
  'src/core/platform/clock.ts': 'memory of the last formatted date; a pure function of its input',
  'src/core/platform/pgp/signatures.ts': 'memory of a pure function of the text of a key',
  'src/core/platform/pgp/library.ts': 'a large library that is loaded at its first use',
  'src/core/platform/process/process.ts': 'the search path of child processes, set once at start',
}

/** Modules have no state. `const` collections at module level that begin empty, and caches, are state too. */
export const stateless =
  /^(?:let|var) \w|^(?:export )?const \w+ = new (?:(?:Map|Set|WeakMap|WeakSet)(?:<[^(]*>)?\(\)|(?:LRUCache|Lru)\b)/m

export interface ForeignReader {
  readonly tables: readonly string[]
  readonly because: string
}

const ACCESS_TABLES = ['collaboration', 'org_member', 'team', 'team_member', 'team_repo', 'team_unit']
const ONE_LIST = 'issues and pull requests are one list and one wire model'

/** Files that read tables of later domains. */
export const foreignReaders: Readonly<Record<string, ForeignReader>> = {
  'src/core/access/repo-grants.store.ts': { tables: ACCESS_TABLES, because: 'the facts of the access decision' },
  'src/core/access/repo-readers.store.ts': { tables: ACCESS_TABLES, because: 'the SQL twin of the access decision' },
  'src/core/access/visible-repos.ts': {
    tables: [...ACCESS_TABLES, 'repo', 'user'],
    because: 'the SQL twin of the access decision',
  },
  'src/core/db/database.ts': { tables: ['user'], because: 'any table tells whether the connection is usable' },
  'src/core/db/migrate.ts': { tables: ['node'], because: 'migrations run before modules are composed' },
  'src/domains/accounts/keys/public-key.store.ts': {
    tables: ['deploy_key'],
    because: 'user keys and deploy keys share the public keys and their unique fingerprints',
  },
  'src/domains/issues/issues/lists/lists.store.ts': { tables: ['pull', 'review'], because: ONE_LIST },
  'src/domains/issues/issues/records/records.store.ts': { tables: ['pull'], because: ONE_LIST },
}
