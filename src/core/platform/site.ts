/** The properties of the server that presenters need. */
export interface Site {
  /** Without a trailing slash; where the server is reached. */
  rootUrl(): string
  readonly noReplyDomain: string
  /** How SSH clone addresses begin, up to the owner: `git@host:` or `ssh://git@host:port/`. */
  sshPrefix(): string
}
