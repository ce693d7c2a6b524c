/**
 * The lines in which git clients print why a push or an SSH command was refused: between two empty errors, so that the
 * reason stands out from what git itself prints (behaviour/git-data-and-transport#git-over-ssh, #push-rules).
 */
export const refusalLines = (reason: string): string[] => ['error:', `error: ${reason}`, 'error:']
