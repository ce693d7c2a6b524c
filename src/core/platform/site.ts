/** The properties of the server that presenters need. */
export interface Site {
  /** The public address of the server, without a trailing slash. */
  rootUrl(): string
  readonly noReplyDomain: string
  /** How SSH clone addresses begin, up to the owner: `git@host:` or `ssh://git@host:port/`. */
  sshPrefix(): string
}
