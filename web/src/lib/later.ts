// Parts of a page that are not needed at once, such as dialogs. They are fetched when the page has been there for a moment, so
// that they are at hand when they are asked for, even if the host has gone since.

const soon = 1500;

export function later<T>(load: () => Promise<{ default: T }>): () => Promise<T> {
  let found: Promise<T> | null = null;
  const get = (): Promise<T> => {
    found ??= load().then(
      (part) => part.default,
      (error) => {
        // It is asked for again the next time.
        found = null;
        throw error;
      },
    );
    return found;
  };
  if (typeof window !== 'undefined') setTimeout(() => void get().catch(() => {}), soon);
  return get;
}
