/** The media type of everything but bytes and locks (git-lfs specification, Batch API). */
export const LFS_TYPE = 'application/vnd.git-lfs+json'

/** An answer that refuses. Objects say `Message`, locks say `message` (behaviour/git-data-and-transport#git-lfs). */
export class LfsRefusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text)
    this.name = 'LfsRefusal'
    this.status = status
    this.headers = headers
  }
}

export const unauthorized = (text = 'Unauthorized'): LfsRefusal =>
  new LfsRefusal(401, text, { 'www-authenticate': 'Basic realm="gitea-lfs"' })
