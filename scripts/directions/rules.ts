/** Which folder may import which, which file of a subject may import which, and where a library or a word may stand. */

/** A layer is the longest of these prefixes that a file's path begins with; `may` lists the prefixes it may import. */
export interface Layer {
  readonly prefix: string
  readonly may: readonly string[]
  /** Why the rule is there; printed with every violation. */
  readonly because: string
}

const CORE = [
  'src/access/',
  'src/http/',
  'src/git/',
  'src/events/',
  'src/jobs/',
  'src/blobs/',
  'src/db/',
  'src/platform/',
]

export const layers: readonly Layer[] = [
  {
    prefix: 'src/main.ts',
    may: ['src/cli/', 'src/app.ts', 'src/config/', 'src/platform/'],
    because: 'the process only starts what others compose',
  },
  { prefix: 'src/app.ts', may: ['src/app/', 'src/subjects/', 'src/config/'], because: 'the ordered list of subjects' },
  {
    prefix: 'src/app/',
    may: [...CORE, 'src/config/', 'src/subjects/subject.ts'],
    because: 'the composition uses subjects only by the values they declare',
  },
  {
    prefix: 'src/cli/',
    may: ['src/app.ts', 'src/app/', 'src/subjects/', 'src/config/', 'src/db/', 'src/platform/'],
    because: 'commands are thin files over the subjects',
  },
  {
    prefix: 'src/subjects/',
    may: [...CORE, 'src/config/'],
    because: 'a subject stands on the core folders and on earlier subjects',
  },
  {
    prefix: 'src/http/',
    may: ['src/access/', 'src/platform/'],
    because: 'the HTTP core depends on callers and operations, not on subjects or the database',
  },
  { prefix: 'src/access/', may: ['src/db/', 'src/platform/'], because: 'access decisions are below every transport' },
  { prefix: 'src/events/', may: ['src/db/', 'src/platform/'], because: 'the outbox is in the database' },
  { prefix: 'src/jobs/', may: ['src/db/', 'src/platform/'], because: 'the queue is in the database' },
  { prefix: 'src/git/', may: ['src/platform/'], because: 'git is independent of database, subjects and HTTP' },
  {
    prefix: 'src/blobs/',
    may: ['src/platform/'],
    because: 'stored bytes are independent of database, subjects and HTTP',
  },
  {
    prefix: 'src/db/',
    may: ['src/platform/', 'migrations/'],
    because: 'the data layer is independent of subjects, HTTP and git',
  },
  { prefix: 'src/config/', may: ['src/platform/'], because: 'settings are a leaf' },
  { prefix: 'src/platform/', may: [], because: 'it has no business words and imports nothing of ours' },
]

/** Folders that are reached from outside by their index.ts alone. */
export const faces: readonly RegExp[] = [
  /^src\/git\//,
  /^src\/blobs\//,
  /^src\/platform\/(?:outgoing|pgp)\//,
  /^src\/subjects\/[^/]+\//,
  /^src\/config\//,
  /^src\/events\/(?!catalog\.ts)/,
  /^src\/jobs\/(?!catalog\.ts)/,
]

/** By suffix: which files of its own subject a file must not import. Types count too, unless `types` is true. */
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
    because: 'decisions, rows and wire models import only types of their subject',
  },
]

/** Where each library may be imported: prefixes or suffixes of files. */
export const importers: Readonly<Record<string, readonly RegExp[]>> = {
  'better-sqlite3': [/^src\/db\/dialect\//],
  pg: [/^src\/db\/dialect\//],
  kysely: [/^src\/db\//, /^migrations\//, /\.store\.ts$/, /\.table\.ts$/, /^src\/access\/visible-repos\.ts$/],
  'kysely/migration': [/^src\/db\//, /^migrations\//],
  jimp: [/^src\/platform\/images\//],
  openpgp: [/^src\/platform\/pgp\//],
  fastify: [
    /^src\/http\//,
    /\.routes\.ts$/,
    /^src\/app\//,
    /^src\/subjects\/subject\.ts$/,
    // The transports beside the API, and the pages on which users sign in.
    /^src\/subjects\/(?:git-http|lfs|sign-in)\//,
  ],
  ssh2: [/^src\/subjects\/git-ssh\//],
  'node:child_process': [/^src\/platform\//],
  '@aws-sdk/client-s3': [/^src\/blobs\/s3\//],
  '@aws-sdk/s3-request-presigner': [/^src\/blobs\/s3\//],
  undici: [/^src\/platform\/outgoing\//],
}

/** Words that only some places may say. */
export const words: readonly {
  readonly pattern: RegExp
  readonly allowed: readonly RegExp[]
  readonly because: string
}[] = [
  {
    pattern: /\bprocess\.env\b/,
    allowed: [/^src\/config\//, /^src\/main\.ts$/, /^src\/cli\//],
    because: 'settings come from the configuration',
  },
  { pattern: /\bDate\.now\(\)/, allowed: [/^src\/platform\/clock\.ts$/], because: 'time comes from the clock' },
  {
    pattern: /isPrivate\b[^\n]{0,40}\bvisibility [!=]== 'public'/,
    allowed: [/^src\/access\//],
    because: 'whether anonymous viewers may see a repository is isPublicRepo of src/access/admit.ts',
  },
  {
    pattern: /\bmissingScope\(/,
    // A draft is shown to those whose token could edit it.
    allowed: [/^src\/access\//, /^src\/subjects\/releases\/release-access\.policy\.ts$/],
    because: 'account state, scopes and sign-in are decided in one order by admitCaller of src/access/admit.ts',
  },
  {
    pattern: /\bdecideAccountState\(/,
    // Who signs in by password or refreshes a token sends no request that could be admitted yet.
    allowed: [/^src\/access\//, /^src\/subjects\/(?:sign-in|oauth)\//],
    because: 'account state, scopes and sign-in are decided in one order by admitCaller of src/access/admit.ts',
  },
]

/** Files whose modules keep state of the process, with the reason. */
export const processState: Readonly<Record<string, string>> = {
  'src/access/repo-access.ts': 'memory of a pure function: at most one small map for each set of units and each mode',
  'src/git/wire/upload/fetch-key.ts': 'derived from an immutable snapshot of refs, collected with it',
  'src/git/wire/receive/quick-connectivity.ts': 'derived from an immutable snapshot of refs, collected with it',
  'src/git/wire/repo.ts': 'derived from an immutable snapshot of refs, collected with it',
  'src/subjects/markup/org.ts': 'derived from the lines of one document, collected with them',
  'src/platform/clock.ts': 'memory of the last formatted date; a pure function of its input',
  'src/platform/pgp/library.ts': 'a large library that is loaded at its first use',
  'src/platform/process/process.ts': 'the search path of child processes, set once at start',
}

/** Modules have no state. `const` collections at module level that code changes are state too. */
export const stateless =
  /^(?:let|var) \w|^(?:export )?const \w+ = new (?:Map|Set|WeakMap|WeakSet|LRUCache)(?:<[^(]*>)?\(\)/m
