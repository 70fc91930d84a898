// The site works without JavaScript. This script adds what a page cannot do without it.
(() => {
  const COPIED_MS = 2000;

  /** A button that copies the text of a block. */
  const addCopyButton = (box) => {
    const text = box.querySelector('pre');
    if (!text || !navigator.clipboard) return;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.setAttribute('aria-label', `Copy: ${text.getAttribute('aria-label')}`);
    const copy = async () => {
      await navigator.clipboard.writeText(text.textContent);
      button.dataset.copied = '';
      setTimeout(() => delete button.dataset.copied, COPIED_MS);
    };
    button.addEventListener('click', () => {
      copy().catch(() => {});
    });
    box.append(button);
  };
  const addCopyButtons = (root) => root.querySelectorAll('.code-box').forEach(addCopyButton);
  addCopyButtons(document);

  // Escape closes the menu, and so does a click outside.
  const menu = document.querySelector('.menu');
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !menu?.open) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
  document.addEventListener('click', (event) => {
    if (menu?.open && !menu.contains(event.target)) menu.open = false;
  });

  // The query builder is updated while the reader types.
  const form = document.querySelector('form[data-live]');
  const result = document.querySelector('#built');
  if (!(form instanceof HTMLFormElement) || !result) return;
  const PAUSE_MS = 300;
  let timer = 0;
  let latest = 0;

  /** Show the error and the choices of a field. What the reader typed stays. */
  const updateField = (field) => {
    const input = field.querySelector('input, select');
    const shown = document.getElementById(input.id);
    const box = shown?.closest('.field');
    if (!box) return;
    shown.setAttribute('aria-describedby', input.getAttribute('aria-describedby'));
    shown.setAttribute('aria-invalid', input.getAttribute('aria-invalid') ?? 'false');
    box.classList.toggle('wrong', field.classList.contains('wrong'));
    box.querySelector('.error')?.remove();
    const error = field.querySelector('.error');
    if (error) box.querySelector('small').before(error);
    if (shown.id !== 'f-county' || shown === document.activeElement) return;
    const { value } = shown;
    shown.replaceChildren(...input.childNodes);
    shown.value = value;
  };

  const update = async () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''));
    const address = `${form.getAttribute('action')}?${query}`;
    const number = ++latest;
    const response = await fetch(address, { headers: { Accept: 'text/html' } });
    const text = await response.text();
    // Ignore a late response to an older query.
    if (number !== latest || !response.ok) return;
    const page = new DOMParser().parseFromString(text, 'text/html');
    const fresh = page.querySelector('#built');
    if (!fresh) return;
    result.replaceChildren(...fresh.childNodes);
    addCopyButtons(result);
    document.dispatchEvent(new Event('built'));
    for (const id of ['problems', 'city-choices', 'zip-choices'])
      document.getElementById(id)?.replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
    page.querySelectorAll('.field').forEach(updateField);
    history.replaceState(null, '', address);
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      update().catch(() => {});
    }, PAUSE_MS);
  });
})();
