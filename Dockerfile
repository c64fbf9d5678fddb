# docker build -t tfnanlint . && docker run --rm -v "$PWD:/src" tfnanlint
FROM python:3.12-slim
COPY pyproject.toml README.md LICENSE /build/
COPY tfnanlint /build/tfnanlint
COPY rules /build/rules
RUN pip install --no-cache-dir /build && rm -r /build && tfnanlint rule > /dev/null
WORKDIR /src
ENTRYPOINT ["tfnanlint"]
