// The reference works without JavaScript. This script searches while the reader types, and keeps the language.
(() => {
  const PAUSE_MS = 250;
  const form = document.querySelector('form[data-search]');
  const found = form && document.querySelector(form.dataset.search);
  if (form instanceof HTMLFormElement && found) {
    const isOwnPage = location.pathname === form.getAttribute('action');
    let timer = 0;
    let latest = 0;
    const search = async () => {
      const query = new URLSearchParams([...new FormData(form)]);
      const number = ++latest;
      if (query.get('q').trim() === '') {
        if (!isOwnPage) found.replaceChildren();
        return;
      }
      const address = `${form.getAttribute('action')}?${query}`;
      const response = await fetch(address, { headers: { Accept: 'text/html' } });
      const text = await response.text();
      // Ignore a late response to an older query.
      if (number !== latest || !response.ok) return;
      const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('#found');
      if (!fresh) return;
      found.replaceChildren(...fresh.childNodes);
      if (isOwnPage) history.replaceState(null, '', address);
    };
    form.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        search().catch(() => {});
      }, PAUSE_MS);
    });
    form.parentElement.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || isOwnPage) return;
      latest += 1;
      found.replaceChildren();
    });
  }

  // Links to sections of the time when the reference was one page lead to their pages.
  const moved = location.hash !== '' && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (moved && moved.dataset.page) location.replace(moved.dataset.page);

  // The last part: a browser that blocks storage throws here.
  const LANGUAGE = 'reference-language';
  for (const input of document.querySelectorAll('input[name="lang"]')) {
    if (input.value === localStorage.getItem(LANGUAGE)) input.checked = true;
    input.addEventListener('change', () => {
      localStorage.setItem(LANGUAGE, input.value);
    });
  }
})();
