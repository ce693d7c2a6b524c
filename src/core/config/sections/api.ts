import { Type } from '@sinclair/typebox'

export const serverSection = Type.Object(
  {
    host: Type.String({
      default: '127.0.0.1',
      minLength: 1,
      description:
        'Address to listen on. Use 0.0.0.0 to accept connections from other machines, :: to include IPv6. With [tls] the ' +
        'default is 0.0.0.0.',
    }),
    port: Type.Integer({
      default: 3000,
      minimum: 0,
      maximum: 65_535,
      description: 'TCP port of the HTTP server; 0 picks a free port. With [tls] the default is 443.',
    }),
    root_url: Type.String({
      default: '',
      pattern: '^$|^https?://',
      description:
        'The URL clients use to reach the server, used in responses. Empty: http://host:port; with [tls] https:// and ' +
        'the first name of the certificate.',
    }),
    documentation_url: Type.String({
      default: '',
      pattern: '^$|^https?://',
      description: 'Documentation for the users of this server, linked from its first page. Empty: no link.',
    }),
    workers: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 64,
      description:
        'Number of worker processes, which share the ports. 0: one per core, at most 8; one on machines with less ' +
        'than 2 GiB of memory.',
    }),
    trust_proxy: Type.Boolean({
      default: false,
      description: 'Trust X-Forwarded-* headers. Only behind a reverse proxy that sets them.',
    }),
    proxy_hops: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 10,
      description:
        'With trust_proxy: the number of proxies in front of the server. The client address is the one that the outermost proxy appended to X-Forwarded-For; earlier entries are client-controlled and ignored.',
    }),
    shutdown_timeout: Type.Integer({
      default: 30,
      minimum: 0,
      description: 'Seconds that running requests and git transfers have to finish when the server stops.',
    }),
    shutdown_delay: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 300,
      description:
        'Seconds between the stop signal and the closing of the ports. Requests are still served, but ' +
        '/api/readyz answers 503, so that load balancers send no new ones.',
    }),
  },
  { additionalProperties: false, description: 'The HTTP server.' },
)

export const apiSection = Type.Object(
  {
    default_paging_num: Type.Integer({
      default: 30,
      minimum: 1,
      description: 'Default number of items on a list page.',
    }),
    max_response_items: Type.Integer({
      default: 50,
      minimum: 1,
      description: 'Maximum number of items on a list page.',
    }),
    default_git_trees_per_page: Type.Integer({
      default: 1000,
      minimum: 1,
      description: 'Maximum number of entries on a page of a git tree.',
    }),
    default_max_blob_size: Type.Integer({
      default: 10_485_760,
      minimum: 0,
      description: 'Maximum size of a file whose content is included in a response, in bytes.',
    }),
    default_max_response_size: Type.Integer({
      default: 104_857_600,
      minimum: 0,
      description: 'Maximum size of all file contents in one response, in bytes.',
    }),
    enable_swagger: Type.Boolean({ default: true, description: 'Serve the API reference page at /api/swagger.' }),
    users_search_results: Type.Boolean({
      default: false,
      description:
        'Answer /users/search with {"ok": true, "data": [...]} instead of an array, for SDKs that expect it.',
    }),
  },
  { additionalProperties: false, description: 'The HTTP API.' },
)

export const serviceSection = Type.Object(
  {
    enable_basic_authentication: Type.Boolean({
      default: true,
      description: 'Accept account passwords by HTTP Basic. Tokens are accepted either way.',
    }),
    enable_reverse_proxy_authentication_api: Type.Boolean({
      default: false,
      description: 'Trust the user name header of a reverse proxy on the API.',
    }),
    enable_reverse_proxy_auto_registration: Type.Boolean({
      default: false,
      description: 'Create an account for an unknown name sent by the reverse proxy.',
    }),
    enable_reverse_proxy_email: Type.Boolean({
      default: false,
      description: 'Set the e-mail address of such an account from the reverse proxy.',
    }),
    enable_reverse_proxy_full_name: Type.Boolean({
      default: false,
      description: 'Set the full name of such an account from the reverse proxy.',
    }),
    login_sources: Type.Array(Type.Integer({ minimum: 1 }), {
      default: [],
      description:
        'Ids of further sign-in sources, such as the reverse proxy, in addition to those of `ingot admin auth list`; accounts ' +
        'that name one need no password.',
    }),
    require_signin_view: Type.Boolean({ default: false, description: 'Require sign-in for all requests.' }),
    explore_require_signin_view: Type.Boolean({
      default: false,
      description: 'Show users and their repositories, and search results for them, only to signed-in users.',
    }),
    explore_disable_users_page: Type.Boolean({ default: false, description: 'Disable the user search.' }),
    enable_user_heatmap: Type.Boolean({
      default: true,
      description: 'Serve the heatmap: the activity of users by day.',
    }),
    default_user_visibility: Type.Union([Type.Literal('public'), Type.Literal('limited'), Type.Literal('private')], {
      default: 'public',
      description: 'Visibility of new users.',
    }),
    no_reply_address: Type.String({
      default: 'noreply.localhost',
      minLength: 1,
      description: 'Domain of the addresses that replace hidden email addresses.',
    }),
    default_org_member_visible: Type.Boolean({
      default: false,
      description: 'Make new memberships of organizations public.',
    }),
    disable_regular_org_creation: Type.Boolean({
      default: false,
      description: 'Allow only site administrators to create organizations.',
    }),
    auto_watch_new_repos: Type.Boolean({
      default: true,
      description: 'Creators of repositories watch them automatically.',
    }),
    auto_watch_on_changes: Type.Boolean({
      default: false,
      description: 'Users who push to a repository watch it automatically, unless they stopped watching it.',
    }),
  },
  { additionalProperties: false, description: 'Accounts and sign-in.' },
)

export const uiSection = Type.Object(
  {
    default_theme: Type.String({ default: 'gitea-auto', description: 'Theme name reported to clients.' }),
    reactions: Type.Array(Type.String(), {
      default: ['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes'],
      description: 'Reactions that users may add.',
    }),
    custom_emojis: Type.Array(Type.String(), {
      default: ['git', 'gitea', 'codeberg', 'gitlab', 'github', 'gogs', 'forgejo'],
      description: 'Emoji names in addition to the standard ones.',
    }),
  },
  { additionalProperties: false, description: 'Settings reported to clients.' },
)
