import { Type } from '@sinclair/typebox'

const ATTACHMENT_TYPES =
  '.avif,.cpuprofile,.csv,.dmp,.docx,.fodg,.fodp,.fods,.fodt,.gif,.gz,.jpeg,.jpg,.json,.jsonc,.log,.md,.mov,.mp4,.odf,.odg,.odp,.ods,.odt,.patch,.pdf,.png,.pptx,.svg,.tgz,.txt,.webm,.webp,.xls,.xlsx,.zip'

const UNITS = [
  'code',
  'issues',
  'ext_issues',
  'pulls',
  'releases',
  'wiki',
  'ext_wiki',
  'projects',
  'packages',
  'actions',
].map((name) => `repo.${name}`)
const without = (...names: string[]): string[] =>
  UNITS.filter((unit) => !unit.startsWith('repo.ext_') && !names.includes(unit))
const Units = (units: readonly string[], description: string) =>
  Type.Array(Type.String({ pattern: `^(?:${UNITS.join('|').replaceAll('.', '\\.')})$` }), {
    default: [...units],
    description,
  })

export const repositorySection = Type.Object(
  {
    default_branch: Type.String({
      default: 'main',
      minLength: 1,
      maxLength: 100,
      description: 'Default branch of new repositories.',
    }),
    max_creation_limit: Type.Integer({
      default: -1,
      minimum: -1,
      description: 'Maximum number of repositories per owner; -1 is no limit.',
    }),
    allow_fork_without_maximum_limit: Type.Boolean({
      default: true,
      description: 'Allow owners who have reached that limit to fork.',
    }),
    force_private: Type.Boolean({ default: false, description: 'Make every new repository private.' }),
    disabled_repo_units: Units(
      [],
      `Features disabled in all repositories; repositories have them again once they are no longer listed. Of ${UNITS.join(', ')}.`,
    ),
    default_repo_units: Units(without(), 'Features of new repositories; templates get them without repo.actions.'),
    default_fork_repo_units: Units(['repo.code', 'repo.pulls'], 'Features of new forks.'),
    default_mirror_repo_units: Units(without('repo.pulls', 'repo.actions'), 'Features of new pull mirrors.'),
    disable_http_git: Type.Boolean({ default: false, description: 'Disable git over HTTP.' }),
    disable_migrations: Type.Boolean({ default: false, description: 'Disable imports from other servers.' }),
    disable_stars: Type.Boolean({ default: false, description: 'Disable stars.' }),
    disable_forks: Type.Boolean({ default: false, description: 'Disable forks.' }),
    enable_flags: Type.Boolean({
      default: false,
      description: 'Allow site administrators to set flags on repositories.',
    }),
    enable_push_create_user: Type.Boolean({
      default: false,
      description: 'Create a missing repository of a user on push.',
    }),
    enable_push_create_org: Type.Boolean({
      default: false,
      description: 'Create a missing repository of an organization on push.',
    }),
    go_get_clone_url_protocol: Type.Union([Type.Literal('https'), Type.Literal('ssh')], {
      default: 'https',
      description: 'Protocol of the clone URLs in answers to go get; https stands for the scheme of root_url.',
    }),
    default_push_create_private: Type.Boolean({
      default: true,
      description: 'Make repositories that a push creates private.',
    }),
  },
  { additionalProperties: false, description: 'Repositories.' },
)

export const gitSection = Type.Object(
  {
    max_push_size: Type.Integer({
      default: 0,
      minimum: 0,
      description: 'Maximum size of the pack of one push, in bytes; 0 is no limit.',
    }),
    pack_cache_size: Type.Integer({
      default: 2 * 1024 ** 3,
      minimum: 0,
      description:
        'Bytes on disk for cached clones, and half as many for archives (zip, tar.gz, bundle). 0 disables both ' +
        'caches and the bundles of large repositories (transfer.bundleURI).',
    }),
    access_control_allow_origin: Type.String({
      default: '',
      pattern: '^(?:|\\*|https?://[^/\\s]+)$',
      description: 'Origin allowed to use git over HTTP from web pages; * allows any, empty allows none.',
    }),
    identity_name: Type.String({
      default: 'Ingot',
      pattern: '^[^<>\\n]*[^<>\\s][^<>\\n]*$',
      description: 'Name in commits and tags that the server creates or signs.',
    }),
    identity_email: Type.String({
      default: '',
      pattern: '^[^<>\\s]*$',
      description: 'E-mail address of that name; empty is ingot at service.no_reply_address.',
    }),
    pull_request_push_message: Type.Boolean({
      default: true,
      description: 'After a push of a branch, print the address of its pull request or of the page to create one.',
    }),
  },
  { additionalProperties: false, description: 'Git.' },
)

export const lfsSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Enable Git LFS.' }),
    max_file_size: Type.Integer({
      default: 0,
      minimum: 0,
      description: 'Maximum size of a file, in bytes; 0 is no limit.',
    }),
    http_auth_expiry: Type.String({
      default: '24h',
      description: 'Lifetime of the LFS token issued over SSH, such as 24h or 30m.',
    }),
  },
  { additionalProperties: false, description: 'Git LFS (large files).' },
)

export const quotaSection = Type.Object(
  {
    enabled: Type.Boolean({
      default: false,
      description:
        'Limit the disk space of users and organizations: by rules that administrators create over the API, and by ' +
        'these defaults.',
    }),
    default_groups: Type.Array(Type.String(), {
      default: [],
      description: 'Quota groups of users who belong to no group.',
    }),
    default_total: Type.Integer({
      default: -1,
      minimum: -1,
      description:
        'Maximum size of the repositories, wikis, large files and attachments of an owner without a group, in bytes, ' +
        'if the default groups do not exist; -1 is no limit. An owner above the limit can delete, but not add.',
    }),
  },
  { additionalProperties: false, description: 'Disk quotas.' },
)

export const attachmentSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Allow attachments on issues, comments and releases.' }),
    allowed_types: Type.String({
      default: ATTACHMENT_TYPES,
      description: 'Comma list of extensions, media types or type/*; empty allows all.',
    }),
    max_size: Type.Integer({ default: 2048, minimum: 1, description: 'Maximum size of a file, in MiB.' }),
    max_files: Type.Integer({
      default: 5,
      minimum: 1,
      description: 'Maximum number of files of an issue, and of a comment.',
    }),
  },
  { additionalProperties: false, description: 'Attachments of issues, comments and releases.' },
)

export const releaseSection = Type.Object(
  {
    allowed_types: Type.String({
      default: '',
      description: 'Comma list of extensions, media types or type/* for release files; empty allows all.',
    }),
    file_max_size: Type.Integer({ default: 2048, minimum: 1, description: 'Maximum size of a release file, in MiB.' }),
  },
  { additionalProperties: false, description: 'Release files.' },
)

export const mirrorSection = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Allow mirrors.' }),
    disable_new_pull: Type.Boolean({ default: false, description: 'Refuse new pull mirrors.' }),
    disable_new_push: Type.Boolean({ default: false, description: 'Refuse new push mirrors.' }),
    default_interval: Type.String({
      default: '8h',
      description: 'Default interval between syncs of a mirror, such as 8h or 30m.',
    }),
    min_interval: Type.String({ default: '10m', description: 'Minimum interval between syncs.' }),
  },
  { additionalProperties: false, description: 'Pull and push mirrors.' },
)

export const migrationsSection = Type.Object(
  {
    max_size: Type.Integer({
      default: 0,
      minimum: 0,
      description:
        'Maximum download of an import, with what the API of the other server sends, or of one sync of a mirror, in MiB; 0 is no limit.',
    }),
    skip_tls_verify: Type.Boolean({
      default: false,
      description: 'Accept invalid certificates.',
    }),
    allowed_hosts: Type.String({
      default: '',
      description:
        'Comma list of hosts that imports and mirrors may reach: external (all public addresses), private, loopback, ' +
        'address ranges, host names (with *), or * for everything; empty is external.',
    }),
  },
  { additionalProperties: false, description: 'Imports from other servers.' },
)
