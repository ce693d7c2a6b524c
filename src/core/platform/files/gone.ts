/** For `catch`: the value where a file, or a directory of its path, is gone; throws every other error. */
export const ifGone =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return value
    throw error
  }
