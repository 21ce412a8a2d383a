import { Component, type ComponentType, type ReactNode } from "react";
import { notify } from "./notify";

interface DialogBoundaryProps {
  /** Closes the dialog inside. */
  onClose: () => void;
  children: ReactNode;
}

interface Failure {
  error: unknown;
  /** Null while its code is loading. */
  ErrorFallback: ComponentType<{ error: unknown; onClose: () => void }> | null;
}

/**
 * An error boundary around every dialog: a dialog that fails shows the error in its own place, and the page
 * under it stays usable.
 */
export class DialogBoundary extends Component<DialogBoundaryProps, { failure: Failure | null }> {
  override state: { failure: Failure | null } = { failure: null };

  static getDerivedStateFromError(error: unknown) {
    return { failure: { error, ErrorFallback: null } };
  }

  override componentDidCatch(error: unknown) {
    import("./dialog-error-fallback").then(
      ({ DialogErrorFallback }) => this.setState({ failure: { error, ErrorFallback: DialogErrorFallback } }),
      () => {
        // Without a connection not even the error dialog can be loaded.
        notify.error("This dialog could not be loaded", "Check the connection, then reload the page.");
        this.close();
      },
    );
  }

  close = () => {
    this.setState({ failure: null });
    this.props.onClose();
  };

  override render() {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    return failure.ErrorFallback && <failure.ErrorFallback error={failure.error} onClose={this.close} />;
  }
}
